using System.IO;
using System.Text;

namespace Claimgrid;

/// <summary>The one-line ways of File to make or fill a file.</summary>
sealed class Files : Claims
{
    public static Claim[] All =>
    [
        Create("File.Create", () =>
        {
            using var writer = new StreamWriter(File.Create(name));
            writer.Write(data);
        }),
        Create("File.CreateText", () =>
        {
            using var writer = File.CreateText(name);
            writer.Write(data);
        }),
        Create("File.AppendText", () =>
        {
            using var writer = File.AppendText(name);
            writer.Write(data);
        }),
        Create("File.OpenWrite", () =>
        {
            using var writer = new StreamWriter(File.OpenWrite(name));
            writer.Write(data);
        }),

        Create("File.WriteAllText", () => File.WriteAllText(name, data), role: "overwrites"),
        Create("File.WriteAllTextAsync", async () => await File.WriteAllTextAsync(name, data)),
        Create("File.WriteAllLines", () => File.WriteAllLines(name, new[] { data })),
        Create("File.WriteAllBytes", () => File.WriteAllBytes(name, Encoding.UTF8.GetBytes(data))),
        Create("File.WriteAllBytesAsync", async () => await File.WriteAllBytesAsync(name, Encoding.UTF8.GetBytes(data))),

        Create("File.AppendAllText", () => File.AppendAllText(name, data)),
        Create("File.AppendAllTextAsync", async () => await File.AppendAllTextAsync(name, data)),
        Create("File.AppendAllLines", () => File.AppendAllLines(name, new[] { data })),
        Create("File.AppendAllBytes", () => File.AppendAllBytes(name, Encoding.UTF8.GetBytes(data)),
            supported: Has(typeof(File), "AppendAllBytes")),
    ];
}
