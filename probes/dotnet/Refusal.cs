using System;
using System.IO;
using System.Text.Json;

namespace Claimgrid;

/// <summary>What a caller learns from a call that said "not you".</summary>
sealed record Refusal(string Error, string? Code, bool Exists, string Message)
{
    const int MessageLimit = 500;

    /// <summary>A call that told by what it returned.</summary>
    public static readonly Refusal ByAnswer = new("false", null, true, "");

    static readonly bool OnWindows = Path.DirectorySeparatorChar == '\\';

    /// <summary>Whether the call itself refused; a call that is not there at all is a fault of the probe.</summary>
    public static bool IsOne(Exception error) => error is not (MissingMemberException or TypeLoadException);

    public static Refusal From(Exception error)
    {
        var message = error.Message.Length > MessageLimit ? error.Message[..MessageLimit] : error.Message;
        return new(error.GetType().Name, CodeOf(error), SaysExists(error), message);
    }

    public void WriteTo(Utf8JsonWriter json)
    {
        json.WriteString("error", Error);
        if (Code is not null)
            json.WriteString("code", Code);
        json.WriteBoolean("exists", Exists);
        json.WriteString("message", Message);
    }

    /// <summary>
    /// There is no exception for "it exists already": callers compare the HResult of an IOException. On Windows it wraps
    /// ERROR_FILE_EXISTS or ERROR_ALREADY_EXISTS, elsewhere it is the bare errno, EEXIST.
    /// </summary>
    static bool SaysExists(Exception error) => error is IOException && (OnWindows
        ? error.HResult is unchecked((int)0x80070050) or unchecked((int)0x800700B7)
        : error.HResult is 17);

    static string CodeOf(Exception error) =>
        error.HResult is > 0 and < 4096 ? $"0x{error.HResult:X8} (errno {error.HResult})" : $"0x{error.HResult:X8}";
}
