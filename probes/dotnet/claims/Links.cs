using System.IO;

namespace Claimgrid;

/// <summary>Symbolic links (.NET 6) and hard links (.NET 11) made on the name.</summary>
sealed class Links : Claims
{
    public static Claim[] All =>
    [
        Create("File.CreateSymbolicLink", () => File.CreateSymbolicLink(name, source), makes: "link", source: "file",
            supported: Has(typeof(File), "CreateSymbolicLink")),
        Create("FileInfo.CreateAsSymbolicLink", () => new FileInfo(name).CreateAsSymbolicLink(source), makes: "link", source: "file",
            supported: Has(typeof(FileInfo), "CreateAsSymbolicLink")),
        Create("Directory.CreateSymbolicLink", () => Directory.CreateSymbolicLink(name, source), makes: "link", source: "empty-dir",
            supported: Has(typeof(Directory), "CreateSymbolicLink")),
        Create("DirectoryInfo.CreateAsSymbolicLink", () => new DirectoryInfo(name).CreateAsSymbolicLink(source), makes: "link",
            source: "empty-dir", supported: Has(typeof(DirectoryInfo), "CreateAsSymbolicLink")),

        Create("File.CreateHardLink", () => File.CreateHardLink(name, source), source: "file",
            supported: Has(typeof(File), "CreateHardLink")) with { Via = "hard-link" },
        Create("FileInfo.CreateAsHardLink", () => new FileInfo(name).CreateAsHardLink(source), source: "file",
            supported: Has(typeof(FileInfo), "CreateAsHardLink")) with { Via = "hard-link" },
    ];
}
