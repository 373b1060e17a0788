// The system's lock on a file that stays: it is gone with the process, and there is nothing to take over.
const name = Deno.args[0];
const file = Deno.openSync(name, {create: true, write: true});

if (!file.tryLockSync(true)) Deno.exit(1);
console.log("acquired");
await Deno.stdin.readable.pipeTo(new WritableStream());
file.unlockSync();
