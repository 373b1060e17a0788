// The file is made anew, held for nobody else, and removed by the system when it is closed.
using System;
using System.IO;

try
{
    using var held = new FileStream(args[0], FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, 1, FileOptions.DeleteOnClose);
    Console.WriteLine("acquired");
    Console.In.ReadToEnd();
    return 0;
}
catch (IOException)
{
    return 1;
}
