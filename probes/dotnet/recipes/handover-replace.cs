// Written beside, and File.Replace puts it into the place of what is there; where nothing is, it is moved.
using System;
using System.IO;

var (name, content) = (args[0], args[1]);
var beside = $"{name}.{Environment.ProcessId}.tmp";

using (var file = new FileStream(beside, FileMode.CreateNew, FileAccess.Write))
{
    file.Write(File.ReadAllBytes(content));
    file.Flush(flushToDisk: true);
}
if (File.Exists(name)) File.Replace(beside, name, null);
else File.Move(beside, name);
