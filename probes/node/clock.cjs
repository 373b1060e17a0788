'use strict';
/*
 * The best monotonic clock of the runtime, in milliseconds with a fraction.
 *
 * `performance` is preferred because reading it allocates nothing; Node before 8.5 has only hrtime. Its origin is moved to that of
 * hrtime, which in Node is the system's monotonic clock: contenders that are Node then agree to a microsecond, better than any
 * handshake could tell. Bun and Deno count both from the start of the process.
 */
function hrtime() {
  const time = process.hrtime();
  return time[0] * 1e3 + time[1] / 1e6;
}

function findPerformance() {
  if (typeof performance === 'object') return performance;
  try {
    return require('perf_hooks').performance;
  } catch (error) {
    return null;
  }
}

/** How far `now` is behind hrtime, from the tightest of some comparisons: a process can lose the processor in any of them. */
function lag(now) {
  let best = {width: Infinity, lag: 0};
  for (let attempt = 0; attempt < 20; attempt++) {
    const before = now();
    const middle = hrtime();
    const after = now();
    if (after - before < best.width) best = {width: after - before, lag: middle - (before + after) / 2};
  }
  return best.lag;
}

function clock() {
  const found = findPerformance();
  if (!found) return hrtime;
  const behind = lag(() => found.now());
  return () => found.now() + behind;
}

module.exports = {now: clock(), rounded: (time) => Math.round(time * 1e3) / 1e3};
