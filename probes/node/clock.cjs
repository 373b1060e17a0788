'use strict';
/*
 * The best monotonic clock of the runtime, in milliseconds with a fraction.
 *
 * `performance` is preferred because reading it allocates nothing; Node before 8.5 has only hrtime. Its origin is moved to that of
 * the system's monotonic clock: contenders then agree to a microsecond, better than any handshake could tell. In Node that clock is
 * hrtime. Bun and Deno count hrtime, too, from the start of the process, but let a script call the system.
 */
function hrtime() {
  const time = process.hrtime();
  return time[0] * 1e3 + time[1] / 1e6;
}

const POSIX = {
  linux: {library: 'libc.so.6', clock: 1}, // CLOCK_MONOTONIC
  darwin: {library: 'libSystem.dylib', clock: 8} // CLOCK_UPTIME_RAW
}[process.platform];

/** What the system's library says the time is, by the foreign function interface of Bun or Deno; throws where there is none. */
function systemTime() {
  const time = new BigInt64Array(2);
  let read;
  if (typeof Deno === 'object') {
    const loaded = Deno.dlopen(POSIX.library, {clock_gettime: {parameters: ['i32', 'buffer'], result: 'i32'}});
    const bytes = new Uint8Array(time.buffer);
    read = () => loaded.symbols.clock_gettime(POSIX.clock, bytes);
  } else {
    const ffi = require('bun:ffi');
    const loaded = ffi.dlopen(POSIX.library, {clock_gettime: {args: ['i32', 'ptr'], returns: 'i32'}});
    const pointer = ffi.ptr(time);
    read = () => loaded.symbols.clock_gettime(POSIX.clock, pointer);
  }
  return () => {
    if (read() !== 0) throw new Error('clock_gettime failed');
    return Number(time[0]) * 1e3 + Number(time[1]) / 1e6;
  };
}

/** The system's monotonic clock where it can be had, else one that starts with the process. */
function monotonic() {
  if (typeof Deno !== 'object' && typeof Bun !== 'object') return hrtime;
  try {
    return systemTime();
  } catch (error) {
    return hrtime;
  }
}

function findPerformance() {
  if (typeof performance === 'object') return performance;
  try {
    return require('perf_hooks').performance;
  } catch (error) {
    return null;
  }
}

/** How far `now` is behind another clock, from the tightest of some comparisons: a process can lose the processor in any of them. */
function lag(now, other) {
  let best = {width: Infinity, lag: 0};
  for (let attempt = 0; attempt < 50; attempt++) {
    const before = now();
    const middle = other();
    const after = now();
    if (after - before < best.width) best = {width: after - before, lag: middle - (before + after) / 2};
  }
  return best.lag;
}

function clock() {
  const found = findPerformance();
  if (!found) return hrtime;
  const behind = lag(() => found.now(), monotonic());
  return () => found.now() + behind;
}

module.exports = {now: clock(), rounded: (time) => Math.round(time * 1e3) / 1e3};
