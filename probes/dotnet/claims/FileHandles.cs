using System.IO;
using System.IO.MemoryMappedFiles;

namespace Claimgrid;

/// <summary>Files opened without a stream. OpenHandle takes no FileMode.Append: it throws before it looks at the name.</summary>
sealed class FileHandles : Claims
{
    public static Claim[] All =>
    [
        Create("File.OpenHandle/CreateNew", () =>
        {
            using var handle = File.OpenHandle(name, FileMode.CreateNew, FileAccess.Write);
            using var writer = new StreamWriter(new FileStream(handle, FileAccess.Write));
            writer.Write(data);
        }, supported: HasOpenHandle),
        Create("File.OpenHandle/Create", () =>
        {
            using var handle = File.OpenHandle(name, FileMode.Create, FileAccess.Write);
            using var writer = new StreamWriter(new FileStream(handle, FileAccess.Write));
            writer.Write(data);
        }, supported: HasOpenHandle),
        Create("File.OpenHandle/OpenOrCreate", () =>
        {
            using var handle = File.OpenHandle(name, FileMode.OpenOrCreate, FileAccess.Write);
            using var writer = new StreamWriter(new FileStream(handle, FileAccess.Write));
            writer.Write(data);
        }, supported: HasOpenHandle),
        Create("File.OpenHandle/Open", () =>
        {
            using var handle = File.OpenHandle(name, FileMode.Open, FileAccess.Write);
            using var writer = new StreamWriter(new FileStream(handle, FileAccess.Write));
            writer.Write(data);
        }, supported: HasOpenHandle),
        Create("File.OpenHandle/Truncate", () =>
        {
            using var handle = File.OpenHandle(name, FileMode.Truncate, FileAccess.Write);
            using var writer = new StreamWriter(new FileStream(handle, FileAccess.Write));
            writer.Write(data);
        }, supported: HasOpenHandle),
        Create("File.OpenHandle/CreateNew+FileShare.None", () =>
        {
            using var handle = File.OpenHandle(name, FileMode.CreateNew, FileAccess.Write, FileShare.None);
            using var writer = new StreamWriter(new FileStream(handle, FileAccess.Write));
            writer.Write(data);
        }, supported: HasOpenHandle),
        Create("File.OpenHandle/CreateNew+FileShare.ReadWrite", () =>
        {
            using var handle = File.OpenHandle(name, FileMode.CreateNew, FileAccess.Write, FileShare.ReadWrite);
            using var writer = new StreamWriter(new FileStream(handle, FileAccess.Write));
            writer.Write(data);
        }, supported: HasOpenHandle),
        Create("File.OpenHandle/CreateNew+preallocationSize", () =>
        {
            using var handle = File.OpenHandle(name, FileMode.CreateNew, FileAccess.Write, preallocationSize: 4096);
            using var writer = new StreamWriter(new FileStream(handle, FileAccess.Write));
            writer.Write(data);
        }, supported: HasOpenHandle),

        Create("MemoryMappedFile.CreateFromFile/CreateNew", () =>
        {
            using var map = MemoryMappedFile.CreateFromFile(name, FileMode.CreateNew, null, 4096);
            using var writer = new StreamWriter(map.CreateViewStream());
            writer.Write(data);
        }),
        Create("MemoryMappedFile.CreateFromFile/OpenOrCreate", () =>
        {
            using var map = MemoryMappedFile.CreateFromFile(name, FileMode.OpenOrCreate, null, 4096);
            using var writer = new StreamWriter(map.CreateViewStream());
            writer.Write(data);
        }),
    ];

    static bool HasOpenHandle => Has(typeof(File), "OpenHandle");
}
