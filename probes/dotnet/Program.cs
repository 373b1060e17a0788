using System;
using System.IO;
using System.Text;

namespace Claimgrid;

/// <summary>The loop of the probe: one line of JSON in, one line of JSON out, until standard input ends.</summary>
static class Program
{
    static void Main()
    {
        // The streams themselves: Console would choose an encoding and a buffer of its own.
        using var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        using var output = Console.OpenStandardOutput();
        var probe = new Probe();
        while (input.ReadLine() is { } line)
        {
            output.Write(probe.Answer(line));
            output.Flush();
        }
    }
}
