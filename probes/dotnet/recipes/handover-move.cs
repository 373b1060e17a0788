// Written beside, flushed to the disk, and moved over the name.
using System;
using System.IO;

var (name, content) = (args[0], args[1]);
var beside = $"{name}.{Environment.ProcessId}.tmp";

using (var file = new FileStream(beside, FileMode.CreateNew, FileAccess.Write))
{
    file.Write(File.ReadAllBytes(content));
    file.Flush(flushToDisk: true);
}
File.Move(beside, name, overwrite: true);
