// A mark that says who placed it, when, and for how long it counts. A limit of 0 was placed by a person: never taken over.
using System;
using System.IO;
using System.Text.Json.Nodes;

const double LimitMinutes = 30;
var name = args[0];
var mine = new JsonObject
{
    ["who"] = Environment.MachineName,
    ["pid"] = Environment.ProcessId,
    ["when"] = DateTime.UtcNow.ToString("o"),
    ["limitMinutes"] = LimitMinutes,
}.ToJsonString();

bool Place()
{
    try
    {
        using var file = new StreamWriter(new FileStream(name, FileMode.CreateNew, FileAccess.Write));
        file.Write(mine);
        return true;
    }
    catch (IOException) when (File.Exists(name))
    {
        return false;
    }
}

bool Acquire()
{
    if (Place()) return true;
    double limit;
    try
    {
        limit = (double)JsonNode.Parse(File.ReadAllText(name))!["limitMinutes"]!;
    }
    catch (FileNotFoundException)
    {
        return Place();
    }
    catch (Exception error)
    {
        Console.Error.WriteLine($"{name} cannot be read: {error.Message}");
        Environment.Exit(2);
        throw;
    }
    var age = DateTime.UtcNow - File.GetLastWriteTimeUtc(name);
    if (!(limit > 0) || age.TotalMinutes < limit) return false;
    File.Delete(name);
    return Place();
}

if (!Acquire()) return 1;
Console.WriteLine("acquired");
Console.In.ReadToEnd();
if (File.ReadAllText(name) == mine) File.Delete(name);
return 0;
