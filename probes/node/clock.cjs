'use strict';
/*
 * The best monotonic clock of the runtime, in milliseconds with a fraction; its origin means nothing.
 * `performance` is preferred because reading it allocates nothing; Node before 8.5 has only hrtime.
 */
function hrtime() {
  const time = process.hrtime();
  return time[0] * 1e3 + time[1] / 1e6;
}

function best() {
  if (typeof performance === 'object') return () => performance.now();
  try {
    const hooks = require('perf_hooks');
    return () => hooks.performance.now();
  } catch (error) {
    return hrtime;
  }
}

module.exports = {now: best(), rounded: (time) => Math.round(time * 1e3) / 1e3};
