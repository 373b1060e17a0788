using System;
using System.Diagnostics;

namespace Claimgrid;

/// <summary>The best monotonic clock there is, in its own ticks.</summary>
static class Clock
{
    static readonly double TicksPerMillisecond = Stopwatch.Frequency / 1000.0;

    public static long Now => Stopwatch.GetTimestamp();

    public static double Milliseconds(long ticks) => Math.Round(ticks / TicksPerMillisecond, 3);

    public static long Ticks(double milliseconds) => (long)(milliseconds * TicksPerMillisecond);
}
