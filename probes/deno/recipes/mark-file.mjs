// A mark that says who placed it, when, and for how long it counts. A limit of 0 was placed by a person: never taken over.
const name = Deno.args[0];
const LIMIT_MINUTES = 30;
const mine = JSON.stringify({who: Deno.hostname(), pid: Deno.pid, when: new Date().toISOString(), limitMinutes: LIMIT_MINUTES});

function place() {
  try {
    Deno.writeTextFileSync(name, mine, {createNew: true});
    return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    return false;
  }
}

function acquire() {
  if (place()) return true;
  let mark, age;
  try {
    mark = JSON.parse(Deno.readTextFileSync(name));
    age = Date.now() - Deno.statSync(name).mtime.getTime();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return place();
    console.error(`${name} cannot be read: ${error.message}`);
    Deno.exit(2);
  }
  if (!(mark.limitMinutes > 0) || age < mark.limitMinutes * 60000) return false;
  Deno.removeSync(name);
  return place();
}

if (!acquire()) Deno.exit(1);
console.log("acquired");
await Deno.stdin.readable.pipeTo(new WritableStream());
if (Deno.readTextFileSync(name) === mine) Deno.removeSync(name);
