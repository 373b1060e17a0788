using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Threading;

namespace Claimgrid;

/// <summary>Answers requests. It judges nothing and never looks at the disk: it says what a caller would learn.</summary>
sealed class Probe
{
    static readonly JsonWriterOptions Readable = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    readonly Dictionary<string, Claim> claims = Catalogue.All.ToDictionary(claim => claim.Id);
    readonly Dictionary<long, List<IDisposable>> held = [];

    /// <summary>The answer to one request, as a whole line.</summary>
    public byte[] Answer(string line)
    {
        long? id = null;
        try
        {
            using var document = JsonDocument.Parse(line);
            var request = document.RootElement;
            if (request.TryGetProperty("id", out var given))
                id = given.GetInt64();
            return Line(id, Respond(request, id ?? 0));
        }
        catch (Exception fault) when (
            fault is JsonException or KeyNotFoundException or InvalidOperationException or FormatException || !Refusal.IsOne(fault))
        {
            return Line(id, json => json.WriteString("fault", fault.ToString()));
        }
    }

    Action<Utf8JsonWriter> Respond(JsonElement request, long id) => request.GetProperty("do").GetString() switch
    {
        "hello" => Hello,
        "list" => List,
        "claim" => Make(request, id),
        "release" => Release(request.GetProperty("holds").GetInt64()),
        "clock" => json => json.WriteNumber("clock", Clock.Milliseconds(Clock.Now)),
        "race" => Race(request, id),
        var other => throw new FormatException($"unknown request {other}"),
    };

    static void Hello(Utf8JsonWriter json)
    {
        json.WriteNumber("protocol", 1);
        json.WriteString("runtime", "dotnet");
        // ".NET Core 3.1.3", ".NET 11.0.0-rc.1": unlike Environment.Version it keeps what makes a preview a preview.
        json.WriteString("version", RuntimeInformation.FrameworkDescription.Split(' ')[^1]);
    }

    void List(Utf8JsonWriter json)
    {
        json.WriteStartArray("claims");
        foreach (var claim in claims.Values)
            claim.WriteTo(json);
        json.WriteEndArray();
    }

    Action<Utf8JsonWriter> Make(JsonElement request, long id)
    {
        var claim = Named(request);
        if (!claim.Supported)
            return Unsupported(claim);
        Claims.Lay(Text(request, "name"), Text(request, "source"), Text(request, "mine"), Text(request, "data"));
        Refusal? refusal = null;
        try
        {
            var answer = claim.Make();
            if (answer is IDisposable hold)
                held[id] = [hold];
            else if (answer is false)
                refusal = Refusal.ByAnswer;
        }
        catch (Exception error) when (Refusal.IsOne(error))
        {
            refusal = Refusal.From(error);
        }
        return json =>
        {
            json.WriteString("said", refusal is null ? "yes" : "no");
            refusal?.WriteTo(json);
        };
    }

    Action<Utf8JsonWriter> Release(long id)
    {
        if (!held.Remove(id, out var holds))
            throw new FormatException($"nothing is held for {id}");
        foreach (var hold in holds)
        {
            // Closing the handle of a mutex does not give it back; the thread that has it must say so.
            if (hold is Mutex mutex)
                mutex.ReleaseMutex();
            hold.Dispose();
        }
        return json => json.WriteString("said", "yes");
    }

    Action<Utf8JsonWriter> Race(JsonElement request, long id)
    {
        var claim = Named(request);
        if (!claim.Supported)
            return Unsupported(claim);
        var race = new Race(
            claim,
            Text(request, "name"), Text(request, "source"), Text(request, "mine"), Text(request, "data"),
            request.GetProperty("start").GetDouble(), request.GetProperty("gap").GetDouble(), request.GetProperty("rounds").GetInt32());
        race.Run();
        // Kept until released, like any held claim: a contender that is late must still find them held.
        if (race.Holds.Count > 0)
            held[id] = race.Holds;
        return race.WriteTo;
    }

    static Action<Utf8JsonWriter> Unsupported(Claim claim) => json =>
    {
        json.WriteString("said", "unsupported");
        json.WriteString("message", $"{claim.Id} is not in {RuntimeInformation.FrameworkDescription}");
    };

    Claim Named(JsonElement request)
    {
        var id = request.GetProperty("claim").GetString();
        return claims.TryGetValue(id ?? "", out var claim) ? claim : throw new FormatException($"unknown claim {id}");
    }

    static string Text(JsonElement request, string key) =>
        request.TryGetProperty(key, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString()! : "";

    static byte[] Line(long? id, Action<Utf8JsonWriter> write)
    {
        using var line = new MemoryStream();
        using (var json = new Utf8JsonWriter(line, Readable))
        {
            json.WriteStartObject();
            if (id is { } number)
                json.WriteNumber("id", number);
            write(json);
            json.WriteEndObject();
        }
        line.WriteByte((byte)'\n');
        return line.ToArray();
    }
}
