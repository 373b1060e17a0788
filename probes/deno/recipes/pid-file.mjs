// A lock file with the pid in it. When that process is dead, its file is overwritten.
import process from "node:process";
const name = Deno.args[0];

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function acquire() {
  try {
    Deno.writeTextFileSync(name, String(Deno.pid), {createNew: true});
    return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  if (isAlive(Number(Deno.readTextFileSync(name)))) return false;
  Deno.writeTextFileSync(name, String(Deno.pid));
  return true;
}

if (!acquire()) Deno.exit(1);
console.log("acquired");
await Deno.stdin.readable.pipeTo(new WritableStream());
Deno.removeSync(name);
