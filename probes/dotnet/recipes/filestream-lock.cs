// A file that stays is shared, and its first byte is locked.
using System;
using System.IO;

using var file = new FileStream(args[0], FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.ReadWrite);
try
{
    file.Lock(0, 1);
}
catch (IOException)
{
    return 1;
}
Console.WriteLine("acquired");
Console.In.ReadToEnd();
return 0;
