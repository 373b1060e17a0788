using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;

namespace Claimgrid;

/// <summary>Locks that last as long as a handle is open. On Unix they are advisory: only others who ask for one are kept out.</summary>
sealed class Holds : Claims
{
    public static Claim[] All =>
    [
        Held("FileStream/OpenOrCreate+FileShare.None", () =>
            new FileStream(name, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None)),
        Held("FileStream/OpenOrCreate+FileShare.Read", () =>
            new FileStream(name, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read)),
        Held("File.OpenHandle/OpenOrCreate+FileShare.None", () =>
            File.OpenHandle(name, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None),
            supported: Has(typeof(File), "OpenHandle")),
        Held("FileStream/OpenOrCreate+FileShare.None+DeleteOnClose", () =>
            new FileStream(name, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None, 4096, FileOptions.DeleteOnClose)),
        Held("FileStream/CreateNew+FileShare.None+DeleteOnClose", () =>
            new FileStream(name, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, 4096, FileOptions.DeleteOnClose)),

        Held("FileStream.Lock", () =>
        {
            var stream = new FileStream(name, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.ReadWrite);
            try { stream.Lock(0, 1); }
            catch { stream.Dispose(); throw; }
            return stream;
        }, supported: !RuntimeInformation.IsOSPlatform(OSPlatform.OSX)),

        Held("Mutex/createdNew", () =>
        {
            var mutex = new Mutex(initiallyOwned: true, Global(name), out var createdNew);
            if (createdNew) return mutex;
            mutex.Dispose();
            return null;
        }, makes: "nothing"),
        Held("Mutex.WaitOne", () =>
        {
            var mutex = new Mutex(initiallyOwned: false, Global(name));
            if (mutex.WaitOne(0)) return mutex;
            mutex.Dispose();
            return null;
        }, makes: "nothing"),
    ];

    /// <summary>
    /// A mutex name of every session for a path: such names have no separators and are short. FNV-1a, since the libraries'
    /// own digests want an OpenSSL that old runtimes do not find any more, and end the process over it.
    /// </summary>
    static string Global(string path)
    {
        var hash = 14695981039346656037;
        foreach (var sign in path)
            hash = unchecked((hash ^ sign) * 1099511628211);
        return $@"Global\claimgrid-{hash:x16}";
    }
}
