using System;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace Claimgrid;

/// <summary>
/// What every file of claims builds on: the four variables that claims are written with, and one function for each kind of claim.
/// </summary>
abstract class Claims
{
    protected static string name = "", source = "", mine = "", data = "";

    /// <summary>Give the variables their values for the claim that is made next.</summary>
    public static void Lay(string name, string source, string mine, string data) =>
        (Claims.name, Claims.source, Claims.mine, Claims.data) = (name, source, mine, data);

    /// <summary>Whether this build has a public method of this name, with a parameter of that name if one is given.</summary>
    protected static bool Has(Type type, string method, string? parameter = null) => type.GetMethods().Any(found =>
        found.Name == method && (parameter is null || found.GetParameters().Any(given => given.Name == parameter)));

    protected static Claim Create(
        string id, Action call, string makes = "file", string? source = null, string? role = null, bool supported = true,
        [CallerArgumentExpression("call")] string code = "") =>
        new(id, "create", makes, source, role, supported, code, Told(call));

    protected static Claim Create(
        string id, Func<Task> call, string makes = "file", string? source = null, bool supported = true,
        [CallerArgumentExpression("call")] string code = "") =>
        new(id, "create", makes, source, null, supported, code, Told(call));

    /// <summary>A claim that tells by its answer.</summary>
    protected static Claim Create(
        string id, Func<bool> call, string makes = "file", string? source = null, string? role = null,
        [CallerArgumentExpression("call")] string code = "") =>
        new(id, "create", makes, source, role, true, code, () => call());

    /// <summary>A claim for something that exists; <paramref name="thing"/> is what has to be there.</summary>
    protected static Claim Take(
        string id, Action call, string makes, string thing = "file", [CallerArgumentExpression("call")] string code = "") =>
        new(id, "take", makes, thing, null, true, code, Told(call));

    /// <summary>A claim that lasts as long as what it returns is open; null says "not you".</summary>
    protected static Claim Held(
        string id, Func<IDisposable?> call, string makes = "file", bool supported = true,
        [CallerArgumentExpression("call")] string code = "") =>
        new(id, "held", makes, null, null, supported, code, () => (object?)call() ?? false);

    protected static Claim Look(string id, Action call, [CallerArgumentExpression("call")] string code = "") =>
        new(id, "look", "nothing", null, null, true, code, Told(call));

    static Func<object?> Told(Action call) => () =>
    {
        call();
        return null;
    };

    static Func<object?> Told(Func<Task> call) => () =>
    {
        call().GetAwaiter().GetResult();
        return null;
    };
}
