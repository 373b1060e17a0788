using System.IO;

namespace Claimgrid;

/// <summary>Streams opened by name: FileStream shares reading by default, File.Open shares nothing.</summary>
sealed class FileStreams : Claims
{
    public static Claim[] All =>
    [
        Create("FileStream/CreateNew", () =>
        {
            using var writer = new StreamWriter(new FileStream(name, FileMode.CreateNew));
            writer.Write(data);
        }),
        Create("FileStream/Create", () =>
        {
            using var writer = new StreamWriter(new FileStream(name, FileMode.Create));
            writer.Write(data);
        }),
        Create("FileStream/OpenOrCreate", () =>
        {
            using var writer = new StreamWriter(new FileStream(name, FileMode.OpenOrCreate));
            writer.Write(data);
        }),
        Create("FileStream/Append", () =>
        {
            using var writer = new StreamWriter(new FileStream(name, FileMode.Append));
            writer.Write(data);
        }),
        Create("FileStream/Open", () =>
        {
            using var writer = new StreamWriter(new FileStream(name, FileMode.Open));
            writer.Write(data);
        }),
        Create("FileStream/Truncate", () =>
        {
            using var writer = new StreamWriter(new FileStream(name, FileMode.Truncate, FileAccess.Write));
            writer.Write(data);
        }),

        Create("FileStream/CreateNew+FileShare.None", () =>
        {
            using var writer = new StreamWriter(new FileStream(name, FileMode.CreateNew, FileAccess.Write, FileShare.None));
            writer.Write(data);
        }),
        Create("FileStream/CreateNew+FileShare.ReadWrite", () =>
        {
            using var writer = new StreamWriter(new FileStream(name, FileMode.CreateNew, FileAccess.Write, FileShare.ReadWrite));
            writer.Write(data);
        }),
        Create("FileStream/Create+FileShare.None", () =>
        {
            using var writer = new StreamWriter(new FileStream(name, FileMode.Create, FileAccess.Write, FileShare.None));
            writer.Write(data);
        }),
        Create("FileStream/CreateNew+useAsync", async () =>
        {
            var stream = new FileStream(name, FileMode.CreateNew, FileAccess.Write, FileShare.Read, 4096, useAsync: true);
            await using var writer = new StreamWriter(stream);
            await writer.WriteAsync(data);
        }),

        Create("File.Open/CreateNew", () =>
        {
            using var writer = new StreamWriter(File.Open(name, FileMode.CreateNew));
            writer.Write(data);
        }),
        Create("File.Open/Create", () =>
        {
            using var writer = new StreamWriter(File.Open(name, FileMode.Create));
            writer.Write(data);
        }),
        Create("File.Open/OpenOrCreate", () =>
        {
            using var writer = new StreamWriter(File.Open(name, FileMode.OpenOrCreate));
            writer.Write(data);
        }),
        Create("File.Open/Append", () =>
        {
            using var writer = new StreamWriter(File.Open(name, FileMode.Append));
            writer.Write(data);
        }),
        Create("File.Open/Open", () =>
        {
            using var writer = new StreamWriter(File.Open(name, FileMode.Open));
            writer.Write(data);
        }),
        Create("File.Open/Truncate", () =>
        {
            using var writer = new StreamWriter(File.Open(name, FileMode.Truncate, FileAccess.Write));
            writer.Write(data);
        }),

        Create("File.Open/CreateNew+FileShare.Read", () =>
        {
            using var writer = new StreamWriter(File.Open(name, FileMode.CreateNew, FileAccess.Write, FileShare.Read));
            writer.Write(data);
        }),
        Create("File.Open/CreateNew+FileShare.ReadWrite", () =>
        {
            using var writer = new StreamWriter(File.Open(name, FileMode.CreateNew, FileAccess.Write, FileShare.ReadWrite));
            writer.Write(data);
        }),

        Create("File.Open/FileStreamOptions+CreateNew", () =>
        {
            var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
            using var writer = new StreamWriter(File.Open(name, options));
            writer.Write(data);
        }, supported: HasOptions),
        Create("File.Open/FileStreamOptions+Create", () =>
        {
            var options = new FileStreamOptions { Mode = FileMode.Create, Access = FileAccess.Write };
            using var writer = new StreamWriter(File.Open(name, options));
            writer.Write(data);
        }, supported: HasOptions),
        Create("File.Open/FileStreamOptions+OpenOrCreate", () =>
        {
            var options = new FileStreamOptions { Mode = FileMode.OpenOrCreate, Access = FileAccess.Write };
            using var writer = new StreamWriter(File.Open(name, options));
            writer.Write(data);
        }, supported: HasOptions),
        Create("File.Open/FileStreamOptions+Append", () =>
        {
            var options = new FileStreamOptions { Mode = FileMode.Append, Access = FileAccess.Write };
            using var writer = new StreamWriter(File.Open(name, options));
            writer.Write(data);
        }, supported: HasOptions),
        Create("File.Open/FileStreamOptions+CreateNew+PreallocationSize", () =>
        {
            var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write, PreallocationSize = 4096 };
            using var writer = new StreamWriter(File.Open(name, options));
            writer.Write(data);
        }, supported: HasOptions),
        Create("File.Open/FileStreamOptions+Create+PreallocationSize", () =>
        {
            var options = new FileStreamOptions { Mode = FileMode.Create, Access = FileAccess.Write, PreallocationSize = 4096 };
            using var writer = new StreamWriter(File.Open(name, options));
            writer.Write(data);
        }, supported: HasOptions),

        Create("StreamWriter", () =>
        {
            using var writer = new StreamWriter(name);
            writer.Write(data);
        }),
        Create("StreamWriter/append=true", () =>
        {
            using var writer = new StreamWriter(name, append: true);
            writer.Write(data);
        }),
    ];

    static bool HasOptions => Has(typeof(File), "Open", "options");
}
