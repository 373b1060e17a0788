using System.IO;
using System.IO.Compression;

namespace Claimgrid;

/// <summary>
/// Archives written to the name, and extracted onto it. Extraction reads an archive in memory, so that nothing else is on the disk.
/// </summary>
sealed class Archives : Claims
{
    public static Claim[] All =>
    [
        Create("ZipFile.CreateFromDirectory", () => ZipFile.CreateFromDirectory(source, name), source: "full-dir"),
        Create("ZipFile.Open/Create", () =>
        {
            using var archive = ZipFile.Open(name, ZipArchiveMode.Create);
            archive.CreateEntry("entry");
        }),
        Create("ZipFile.Open/Update", () =>
        {
            using var archive = ZipFile.Open(name, ZipArchiveMode.Update);
            archive.CreateEntry("entry");
        }),

        Create("ZipArchiveEntry.ExtractToFile/overwrite=false", () =>
        {
            using var archive = Zip();
            archive.Entries[0].ExtractToFile(name, overwrite: false);
        }),
        Create("ZipArchiveEntry.ExtractToFile/overwrite=true", () =>
        {
            using var archive = Zip();
            archive.Entries[0].ExtractToFile(name, overwrite: true);
        }),
        Create("ZipArchiveEntry.ExtractToFileAsync/overwrite=false", async () =>
        {
            using var archive = Zip();
            await archive.Entries[0].ExtractToFileAsync(name, overwrite: false);
        }, supported: HasAsync),

        Create("ZipArchive.ExtractToDirectory/overwriteFiles=false", () =>
        {
            using var archive = Zip();
            archive.ExtractToDirectory(name, overwriteFiles: false);
        }, makes: "full-dir"),
        Create("ZipArchive.ExtractToDirectory/overwriteFiles=true", () =>
        {
            using var archive = Zip();
            archive.ExtractToDirectory(name, overwriteFiles: true);
        }, makes: "full-dir"),
        Create("ZipArchive.ExtractToDirectoryAsync/overwriteFiles=false", async () =>
        {
            using var archive = Zip();
            await archive.ExtractToDirectoryAsync(name, overwriteFiles: false);
        }, makes: "full-dir", supported: HasAsync),
    ];

    static bool HasAsync => Has(typeof(ZipFileExtensions), "ExtractToFileAsync");

    /// <summary>An archive of one file, which holds `data`.</summary>
    static ZipArchive Zip()
    {
        var bytes = new MemoryStream();
        using (var archive = new ZipArchive(bytes, ZipArchiveMode.Create, leaveOpen: true))
        using (var entry = new StreamWriter(archive.CreateEntry("entry").Open()))
            entry.Write(data);
        return new ZipArchive(bytes, ZipArchiveMode.Read);
    }
}
