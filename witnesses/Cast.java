// Casts codes with the casts of Java. The protocol is that of cast.c. uint16 is char.

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

public final class Cast {
    public static void main(String[] arguments) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        OutputStream out = new BufferedOutputStream(System.out);
        for (String line = line(in); line != null; line = line(in)) {
            String[] words = line.split(" ");
            ByteBuffer codes = ByteBuffer.allocate(8 * Integer.parseInt(words[2]));
            codes.order(ByteOrder.LITTLE_ENDIAN);
            in.readFully(codes.array());
            for (int at = 0; at < codes.capacity(); at += 8) {
                codes.putLong(at, cast(words[0], words[1], codes.getLong(at)));
            }
            out.write(codes.array());
            out.flush();
        }
    }

    private static String line(DataInputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                return null;
            }
            line.append((char) next);
        }
        return line.toString();
    }

    private static long cast(String from, String to, long code) {
        switch (from) {
            case "int8": return ofByte(to, (byte) code);
            case "int16": return ofShort(to, (short) code);
            case "uint16": return ofChar(to, (char) code);
            case "int32": return ofInt(to, (int) code);
            case "int64": return ofLong(to, code);
            case "float32": return ofFloat(to, Float.intBitsToFloat((int) code));
            case "float64": return ofDouble(to, Double.longBitsToDouble(code));
            default: throw new IllegalArgumentException(from);
        }
    }

    private static long bits(float value) {
        return Float.floatToRawIntBits(value) & 0xffffffffL;
    }

    private static long bits(double value) {
        return Double.doubleToRawLongBits(value);
    }

    private static long ofByte(String to, byte value) {
        switch (to) {
            case "int8": return (byte) value & 0xffL;
            case "int16": return (short) value & 0xffffL;
            case "uint16": return (char) value;
            case "int32": return (int) value & 0xffffffffL;
            case "int64": return (long) value;
            case "float32": return bits((float) value);
            case "float64": return bits((double) value);
            default: throw new IllegalArgumentException(to);
        }
    }

    private static long ofShort(String to, short value) {
        switch (to) {
            case "int8": return (byte) value & 0xffL;
            case "int16": return (short) value & 0xffffL;
            case "uint16": return (char) value;
            case "int32": return (int) value & 0xffffffffL;
            case "int64": return (long) value;
            case "float32": return bits((float) value);
            case "float64": return bits((double) value);
            default: throw new IllegalArgumentException(to);
        }
    }

    private static long ofChar(String to, char value) {
        switch (to) {
            case "int8": return (byte) value & 0xffL;
            case "int16": return (short) value & 0xffffL;
            case "uint16": return (char) value;
            case "int32": return (int) value & 0xffffffffL;
            case "int64": return (long) value;
            case "float32": return bits((float) value);
            case "float64": return bits((double) value);
            default: throw new IllegalArgumentException(to);
        }
    }

    private static long ofInt(String to, int value) {
        switch (to) {
            case "int8": return (byte) value & 0xffL;
            case "int16": return (short) value & 0xffffL;
            case "uint16": return (char) value;
            case "int32": return (int) value & 0xffffffffL;
            case "int64": return (long) value;
            case "float32": return bits((float) value);
            case "float64": return bits((double) value);
            default: throw new IllegalArgumentException(to);
        }
    }

    private static long ofLong(String to, long value) {
        switch (to) {
            case "int8": return (byte) value & 0xffL;
            case "int16": return (short) value & 0xffffL;
            case "uint16": return (char) value;
            case "int32": return (int) value & 0xffffffffL;
            case "int64": return (long) value;
            case "float32": return bits((float) value);
            case "float64": return bits((double) value);
            default: throw new IllegalArgumentException(to);
        }
    }

    private static long ofFloat(String to, float value) {
        switch (to) {
            case "int8": return (byte) value & 0xffL;
            case "int16": return (short) value & 0xffffL;
            case "uint16": return (char) value;
            case "int32": return (int) value & 0xffffffffL;
            case "int64": return (long) value;
            case "float32": return bits((float) value);
            case "float64": return bits((double) value);
            default: throw new IllegalArgumentException(to);
        }
    }

    private static long ofDouble(String to, double value) {
        switch (to) {
            case "int8": return (byte) value & 0xffL;
            case "int16": return (short) value & 0xffffL;
            case "uint16": return (char) value;
            case "int32": return (int) value & 0xffffffffL;
            case "int64": return (long) value;
            case "float32": return bits((float) value);
            case "float64": return bits((double) value);
            default: throw new IllegalArgumentException(to);
        }
    }
}
