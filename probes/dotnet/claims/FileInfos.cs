using System.IO;

namespace Claimgrid;

/// <summary>The FileInfo twins of what File makes; they remember what they saw when they were last asked.</summary>
sealed class FileInfos : Claims
{
    public static Claim[] All =>
    [
        Create("FileInfo.Open/CreateNew", () =>
        {
            using var writer = new StreamWriter(new FileInfo(name).Open(FileMode.CreateNew));
            writer.Write(data);
        }),
        Create("FileInfo.Create", () =>
        {
            using var writer = new StreamWriter(new FileInfo(name).Create());
            writer.Write(data);
        }),
        Create("FileInfo.CreateText", () =>
        {
            using var writer = new FileInfo(name).CreateText();
            writer.Write(data);
        }),
        Create("FileInfo.AppendText", () =>
        {
            using var writer = new FileInfo(name).AppendText();
            writer.Write(data);
        }),
        Create("FileInfo.OpenWrite", () =>
        {
            using var writer = new StreamWriter(new FileInfo(name).OpenWrite());
            writer.Write(data);
        }),
    ];
}
