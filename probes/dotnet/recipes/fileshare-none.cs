// A file that stays is held open for nobody else. It is free again when the process ends, however that happens.
using System;
using System.IO;

try
{
    using var held = new FileStream(args[0], FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
    Console.WriteLine("acquired");
    Console.In.ReadToEnd();
    return 0;
}
catch (IOException)
{
    return 1;
}
