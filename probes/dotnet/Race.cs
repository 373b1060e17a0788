using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;
using System.Threading;

namespace Claimgrid;

/// <summary>One claim made over and over, each time for a fresh name and at its own time of a shared clock.</summary>
sealed class Race
{
    const double SleepMilliseconds = 20;

    readonly Claim claim;
    readonly string[] names, sources, mines;
    readonly string data;
    readonly double start, gap;
    readonly long[] began, ended;
    readonly string?[] errors;

    public Race(Claim claim, string name, string source, string mine, string data, double start, double gap, int rounds)
    {
        (this.claim, this.data, this.start, this.gap) = (claim, data, start, gap);
        string[] Numbered(string path) => Enumerable.Range(0, rounds).Select(k => path + k).ToArray();
        (names, sources, mines) = (Numbered(name), Numbered(source), Numbered(mine));
        (began, ended, errors) = (new long[rounds], new long[rounds], new string?[rounds]);
        Holds = new List<IDisposable>(claim.Kind == "held" ? rounds : 0);
    }

    /// <summary>What the rounds that were won still hold.</summary>
    public List<IDisposable> Holds { get; }

    public void Run()
    {
        GC.Collect();
        for (var k = 0; k < names.Length; k++)
        {
            Claims.Lay(names[k], sources[k], mines[k], data);
            began[k] = WaitFor(Clock.Ticks(start + k * gap));
            try
            {
                var answer = claim.Make();
                ended[k] = Clock.Now;
                if (answer is IDisposable hold)
                    Holds.Add(hold);
                else if (answer is false)
                    errors[k] = Refusal.ByAnswer.Error;
            }
            catch (Exception error) when (Refusal.IsOne(error))
            {
                ended[k] = Clock.Now;
                errors[k] = error.GetType().Name;
            }
        }
    }

    public void WriteTo(Utf8JsonWriter json)
    {
        json.WriteStartArray("rounds");
        for (var k = 0; k < names.Length; k++)
        {
            json.WriteStartArray();
            json.WriteNumberValue(errors[k] is null ? 1 : 0);
            json.WriteNumberValue(Clock.Milliseconds(began[k]));
            json.WriteNumberValue(Clock.Milliseconds(ended[k]));
            json.WriteEndArray();
        }
        json.WriteEndArray();
        json.WriteStartObject("errors");
        foreach (var same in errors.Where(error => error != null).GroupBy(error => error!))
            json.WriteNumber(same.Key, same.Count());
        json.WriteEndObject();
    }

    /// <summary>Spin up to the moment and return the time it then is; one that is past is not waited for.</summary>
    static long WaitFor(long moment)
    {
        var now = Clock.Now;
        while (Clock.Milliseconds(moment - now) > SleepMilliseconds)
        {
            Thread.Sleep(1);
            now = Clock.Now;
        }
        while (now < moment)
            now = Clock.Now;
        return now;
    }
}
