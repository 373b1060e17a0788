using System.IO;

namespace Claimgrid;

/// <summary>Ways to be the one who moves a thing away or deletes it.</summary>
sealed class Takes : Claims
{
    public static Claim[] All =>
    [
        Take("File.Move/take-file", () => File.Move(name, mine), makes: "moved"),
        Take("File.Move/take-file+overwrite=true", () => File.Move(name, mine, overwrite: true), makes: "moved"),
        Take("FileInfo.MoveTo/take-file", () => new FileInfo(name).MoveTo(mine), makes: "moved"),
        Take("Directory.Move/take-empty-dir", () => Directory.Move(name, mine), makes: "moved", thing: "empty-dir"),
        Take("Directory.Move/take-full-dir", () => Directory.Move(name, mine), makes: "moved", thing: "full-dir"),
        Take("Directory.Move/take-file", () => Directory.Move(name, mine), makes: "moved"),

        Take("File.Delete", () => File.Delete(name), makes: "gone"),
        Take("FileInfo.Delete", () => new FileInfo(name).Delete(), makes: "gone"),
        Take("FileStream/DeleteOnClose", () =>
        {
            using var stream = new FileStream(name, FileMode.Open, FileAccess.Read, FileShare.None, 4096, FileOptions.DeleteOnClose);
        }, makes: "gone"),
        Take("Directory.Delete", () => Directory.Delete(name), makes: "gone", thing: "empty-dir"),
        Take("Directory.Delete/recursive", () => Directory.Delete(name, recursive: true), makes: "gone", thing: "full-dir"),
        Take("DirectoryInfo.Delete", () => new DirectoryInfo(name).Delete(), makes: "gone", thing: "empty-dir"),
    ];
}
