// Casts codes with the casts of .NET. The protocol is that of cast.c. With an argument it says the version of the
// runtime instead.

using System;
using System.IO;
using System.Text;

static class Cast
{
    static void Main(string[] arguments)
    {
        if (arguments.Length > 0)
        {
            Console.WriteLine(".NET " + Environment.Version);
            return;
        }
        using (Stream input = new BufferedStream(Console.OpenStandardInput()))
        using (Stream output = new BufferedStream(Console.OpenStandardOutput()))
        {
            for (string line = Line(input); line != null; line = Line(input))
            {
                string[] words = line.Split(' ');
                byte[] code = new byte[8];
                for (int left = int.Parse(words[2]); left > 0; left--)
                {
                    Fill(input, code);
                    ulong result = Of(words[0], words[1], BitConverter.ToInt64(code, 0));
                    output.Write(BitConverter.GetBytes(result), 0, 8);
                }
            }
        }
    }

    static string Line(Stream input)
    {
        StringBuilder line = new StringBuilder();
        for (int next = input.ReadByte(); next != '\n'; next = input.ReadByte())
        {
            if (next < 0) return null;
            line.Append((char)next);
        }
        return line.ToString();
    }

    static void Fill(Stream input, byte[] bytes)
    {
        for (int at = 0; at < bytes.Length;)
        {
            int count = input.Read(bytes, at, bytes.Length - at);
            if (count == 0) throw new EndOfStreamException();
            at += count;
        }
    }

    static ulong Of(string from, string to, long code)
    {
        switch (from)
        {
            case "float32": return OfFloat(to, BitConverter.ToSingle(BitConverter.GetBytes((int)code), 0));
            case "float64": return OfDouble(to, BitConverter.Int64BitsToDouble(code));
            default: throw new ArgumentException(from);
        }
    }

    static ulong OfFloat(string to, float value)
    {
        switch (to)
        {
            case "int32": return (uint)(int)value;
            case "uint32": return (uint)value;
            case "int64": return (ulong)(long)value;
            case "uint64": return (ulong)value;
            default: throw new ArgumentException(to);
        }
    }

    static ulong OfDouble(string to, double value)
    {
        switch (to)
        {
            case "int32": return (uint)(int)value;
            case "uint32": return (uint)value;
            case "int64": return (ulong)(long)value;
            case "uint64": return (ulong)value;
            default: throw new ArgumentException(to);
        }
    }
}
