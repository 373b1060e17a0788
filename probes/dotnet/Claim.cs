using System;
using System.Linq;
using System.Text.Json;

namespace Claimgrid;

/// <summary>
/// One entry of the catalogue. <paramref name="Make"/> makes the call: it throws, returns false, or returns what
/// is held, as the call itself does; anything else it returns is a yes.
/// </summary>
sealed record Claim(string Id, string Kind, string Makes, string? Source, string? Role, bool Supported, string Lambda, Func<object?> Make)
{
    /// <summary>What the claim goes by, as in the protocol; null for nothing that a filesystem may lack.</summary>
    public string? Via { get; init; }

    /// <summary>The lambda that ran, without `() =>` and the braces around it.</summary>
    public string Code
    {
        get
        {
            var body = Lambda[(Lambda.IndexOf("=>", StringComparison.Ordinal) + 2)..].Trim();
            return body.StartsWith('{') ? WithoutIndent(body[1..^1]) : WithoutIndent(body);
        }
    }

    public void WriteTo(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("id", Id);
        json.WriteString("kind", Kind);
        json.WriteString("code", Code);
        json.WriteString("makes", Makes);
        json.WriteString("source", Source);
        json.WriteBoolean("supported", Supported);
        if (Role is not null)
            json.WriteString("role", Role);
        if (Via is not null)
            json.WriteString("via", Via);
        json.WriteEndObject();
    }

    static string WithoutIndent(string text)
    {
        var lines = text.Replace("\r", "").Trim('\n', ' ').Split('\n');
        var indents = lines.Skip(1).Where(line => line.Trim() != "").Select(line => line.Length - line.TrimStart().Length);
        var indent = indents.DefaultIfEmpty(0).Min();
        return string.Join("\n", lines.Select(line => line[Math.Min(indent, line.Length - line.TrimStart().Length)..].TrimEnd()));
    }
}
