using System;
using System.Linq;
using System.Management.Automation;
using System.Management.Automation.Runspaces;
using Microsoft.PowerShell;

namespace Claimgrid;

/// <summary>
/// Runs a script as `pwsh -NoProfile -NonInteractive -File SCRIPT` does, without the console that pwsh insists on.
/// </summary>
internal static class Program
{
    private static int Main(string[] arguments)
    {
        int file = Array.FindIndex(arguments, argument => argument.Equals("-File", StringComparison.OrdinalIgnoreCase));
        if (file < 0 || file + 1 >= arguments.Length)
        {
            Console.Error.WriteLine("pwsh-host [-NoProfile] [-NonInteractive] -File SCRIPT [ARGUMENT ...]");
            return 64;
        }

        // Everything that pwsh itself has at hand, and no host: a command that would prompt fails, as it does with -NonInteractive.
        InitialSessionState state = InitialSessionState.CreateDefault();
        if (OperatingSystem.IsWindows())
        {
            state.ExecutionPolicy = ExecutionPolicy.Bypass;
        }

        using Runspace runspace = RunspaceFactory.CreateRunspace(state);
        runspace.Open();
        using PowerShell shell = PowerShell.Create(runspace);
        shell.Streams.Error.DataAdded += (_, added) => Console.Error.WriteLine(shell.Streams.Error[added.Index]);
        shell.AddCommand(arguments[file + 1]);
        foreach (string argument in arguments.Skip(file + 2))
        {
            shell.AddArgument(argument);
        }

        try
        {
            foreach (PSObject output in shell.Invoke())
            {
                Console.WriteLine(output);
            }
        }
        catch (RuntimeException error)
        {
            Console.Error.WriteLine(error.ErrorRecord);
            return 1;
        }

        return 0;
    }
}
