using System.IO;

namespace Claimgrid;

/// <summary>The usual ways to read a name: what a monitor or a backup does to it.</summary>
sealed class Looks : Claims
{
    public static Claim[] All =>
    [
        Look("File.ReadAllText", () => File.ReadAllText(name)),
        Look("FileStream/Open+FileShare.ReadWrite", () =>
        {
            using var stream = new FileStream(name, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            using var reader = new StreamReader(stream);
            reader.ReadToEnd();
        }),
        Look("FileStream/Open+FileShare.ReadWrite+Delete", () =>
        {
            using var stream = new FileStream(name, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            using var reader = new StreamReader(stream);
            reader.ReadToEnd();
        }),
    ];
}
