//! The ids of the rules. Made from vectors/spec/rules by `cargo xtask generate rules`.

use super::RuleId;

/// A dtype outside the version's type set is refused.
pub const T_01: RuleId = RuleId(0);
/// Versions 1 and 6 do not cast strings.
pub const T_02: RuleId = RuleId(1);
/// Complex dtypes are not cast.
pub const T_03: RuleId = RuleId(2);
/// `to` is the name of a type of TensorProto, such as FLOAT; from version 6 on it is the number.
pub const T_04: RuleId = RuleId(3);
/// An attribute that the version does not define is refused.
pub const T_05: RuleId = RuleId(4);
/// saturate changes nothing where the target is not a float8 dtype.
pub const T_06: RuleId = RuleId(5);
/// round_mode changes nothing where the target is not float8e8m0.
pub const T_07: RuleId = RuleId(6);
/// A round_mode other than up, down and nearest is undefined.
pub const T_08: RuleId = RuleId(7);
/// A saturate other than 0 and 1 is undefined.
pub const T_09: RuleId = RuleId(8);
/// The output has the shape of the input, scalars and empty tensors included.
pub const G_01: RuleId = RuleId(9);
/// Versions 1, 6 and 9 state no numeric rule; what is not exactly representable follows the later practice.
pub const V9_01: RuleId = RuleId(10);
/// A number that the target holds exactly is kept, subnormals included.
pub const FF_01: RuleId = RuleId(11);
/// An inexact number in range rounds to nearest even.
pub const FF_02: RuleId = RuleId(12);
/// To bfloat16, round to nearest even; rounding toward zero is tolerated.
pub const FF_03: RuleId = RuleId(13);
/// To bfloat16, round to nearest even.
pub const FF_04: RuleId = RuleId(14);
/// A number that rounds beyond the largest one becomes infinity of its sign.
pub const FF_05: RuleId = RuleId(15);
/// A number above the largest one that rounds back to it becomes the largest one.
pub const FF_06: RuleId = RuleId(16);
/// Infinity stays infinity of its sign.
pub const FF_07: RuleId = RuleId(17);
/// NaN becomes any NaN.
pub const FF_08: RuleId = RuleId(18);
/// Zero keeps its sign.
pub const FF_09: RuleId = RuleId(19);
/// float64 is rounded once, directly; a second rounding through float32 is tolerated.
pub const FF_10: RuleId = RuleId(20);
/// A cast to the same dtype changes nothing.
pub const FF_11: RuleId = RuleId(21);
/// An integral number in range is kept; negative zero becomes 0.
pub const FI_01: RuleId = RuleId(22);
/// A fraction is dropped: rounding is toward zero.
pub const FI_02: RuleId = RuleId(23);
/// A number just outside the range whose integral part is inside becomes that part.
pub const FI_03: RuleId = RuleId(24);
/// An integral part out of range, or an infinity, is undefined.
pub const FI_04: RuleId = RuleId(25);
/// NaN to an integer is undefined.
pub const FI_05: RuleId = RuleId(26);
/// float8, float6 and float4 follow FI-01 to FI-05 on their value.
pub const FI_06: RuleId = RuleId(27);
/// Positive and negative zero are false.
pub const B_01: RuleId = RuleId(28);
/// Every other float is true: NaN, infinities and subnormals too.
pub const B_02: RuleId = RuleId(29);
/// Every float8e8m0 code is true, for the dtype has no zero.
pub const B_03: RuleId = RuleId(30);
/// Zero is false, every other integer is true.
pub const B_04: RuleId = RuleId(31);
/// An integer other than zero is true, though the text also speaks of truncating bits.
pub const B_05: RuleId = RuleId(32);
/// true is 1.0 and false is 0.0.
pub const B_06: RuleId = RuleId(33);
/// true is 1 and false is 0.
pub const B_07: RuleId = RuleId(34);
/// bool to bool changes nothing; a byte other than 0 and 1 is undefined.
pub const B_08: RuleId = RuleId(35);
/// true is 1.0 and false is 0.0 in float8 too, though the rule for bool excludes float8.
pub const B_09: RuleId = RuleId(36);
/// true is 1.0 and false is 0.0 in float4e2m1.
pub const B_10: RuleId = RuleId(37);
/// true is 1.0 in float8e8m0; false has no zero to go to and follows E8-01.
pub const B_11: RuleId = RuleId(38);
/// An integer in range is kept.
pub const II_01: RuleId = RuleId(39);
/// An integer out of range keeps its low bits, read in two's complement.
pub const II_02: RuleId = RuleId(40);
/// An integer out of range keeps its low bits, read in two's complement.
pub const II_03: RuleId = RuleId(41);
/// An integer that the float holds exactly is kept; zero is positive.
pub const IF_01: RuleId = RuleId(42);
/// An inexact integer rounds to nearest even, once.
pub const IF_02: RuleId = RuleId(43);
/// An integer that rounds beyond the largest float16 becomes infinity.
pub const IF_03: RuleId = RuleId(44);
/// An integral number in range is kept.
pub const I4_01: RuleId = RuleId(45);
/// A fraction rounds to nearest even; truncation and ties away from zero are tolerated.
pub const I4_02: RuleId = RuleId(46);
/// A number out of range after rounding, an infinity or NaN is undefined.
pub const I4_03: RuleId = RuleId(47);
/// An integer keeps its low bits, read in two's complement.
pub const I4_04: RuleId = RuleId(48);
/// Between 2- and 4-bit integers, the low bits are kept, read in two's complement.
pub const I4_05: RuleId = RuleId(49);
/// A 2- or 4-bit integer that the wider dtype holds is kept.
pub const I4_06: RuleId = RuleId(50);
/// A 2- or 4-bit integer is true unless zero.
pub const I4_07: RuleId = RuleId(51);
/// Positive zero is code 0.
pub const F8_S01: RuleId = RuleId(52);
/// Negative zero keeps its sign where the dtype has one, else it is code 0.
pub const F8_S02: RuleId = RuleId(53);
/// NaN becomes NaN, whatever its sign.
pub const F8_S03: RuleId = RuleId(54);
/// Infinity saturates to the largest number of its sign.
pub const F8_S04: RuleId = RuleId(55);
/// Infinity saturates to the largest number of its sign; one edition omits the sign, an erratum.
pub const F8_S05: RuleId = RuleId(56);
/// Infinity becomes NaN in the FNUZ dtypes even under saturate; the largest number is tolerated.
pub const F8_S06: RuleId = RuleId(57);
/// Infinity saturates to the largest number of its sign in every float8 dtype.
pub const F8_S07: RuleId = RuleId(58);
/// float8e5m2 to itself saturates infinity too; keeping it is tolerated.
pub const F8_S08: RuleId = RuleId(59);
/// A number that rounds beyond the largest one saturates to it.
pub const F8_S09: RuleId = RuleId(60);
/// Every other number rounds to nearest even with gradual underflow.
pub const F8_S10: RuleId = RuleId(61);
/// float64 is rounded once, directly; a second rounding through float32 is tolerated.
pub const F8_S11: RuleId = RuleId(62);
/// Zero is treated as under saturate.
pub const F8_N01: RuleId = RuleId(63);
/// NaN becomes NaN.
pub const F8_N02: RuleId = RuleId(64);
/// Negative NaN becomes NaN; the sign that one edition demands is not enforced.
pub const F8_N03: RuleId = RuleId(65);
/// Infinity becomes NaN in float8e4m3fn.
pub const F8_N04: RuleId = RuleId(66);
/// Infinity stays infinity in float8e5m2.
pub const F8_N05: RuleId = RuleId(67);
/// Infinity becomes NaN in the FNUZ dtypes.
pub const F8_N06: RuleId = RuleId(68);
/// A number that rounds beyond the largest float8e4m3fn becomes NaN.
pub const F8_N07: RuleId = RuleId(69);
/// A number that rounds beyond the largest float8e5m2 becomes infinity of its sign.
pub const F8_N08: RuleId = RuleId(70);
/// A number that rounds beyond the largest number of an FNUZ dtype becomes NaN.
pub const F8_N09: RuleId = RuleId(71);
/// Every other number rounds to nearest even with gradual underflow.
pub const F8_N10: RuleId = RuleId(72);
/// An integer in range rounds to nearest even, though the table speaks of floats only.
pub const F8_I01: RuleId = RuleId(73);
/// An integer out of range follows saturate as a float would.
pub const F8_I02: RuleId = RuleId(74);
/// A 64-bit integer is rounded once, directly; a rounding through float32 gives the same.
pub const F8_I03: RuleId = RuleId(75);
/// One float8 to another: the value is taken through the tables.
pub const F8_X01: RuleId = RuleId(76);
/// float4e2m1 to float8 is exact.
pub const F8_X02: RuleId = RuleId(77);
/// float8e8m0 to another float8: the value is taken through the tables.
pub const F8_X03: RuleId = RuleId(78);
/// float8 to a wider float is exact.
pub const F8_U01: RuleId = RuleId(79);
/// A float8 NaN becomes any NaN.
pub const F8_U02: RuleId = RuleId(80);
/// A float8 negative zero keeps its sign, though the page does not promise it.
pub const F8_U03: RuleId = RuleId(81);
/// Zero has no code: 2^-127 under saturate, NaN without (either, where the table is silent).
pub const E8_01: RuleId = RuleId(82);
/// Negative zero is undefined.
pub const E8_02: RuleId = RuleId(83);
/// Negative numbers are undefined.
pub const E8_03: RuleId = RuleId(84);
/// NaN is code 0xff.
pub const E8_04: RuleId = RuleId(85);
/// Infinity is 2^127 under saturate, NaN without.
pub const E8_05: RuleId = RuleId(86);
/// A number above 2^127 is 2^127 under saturate, NaN without; it is compared before rounding.
pub const E8_06: RuleId = RuleId(87);
/// A positive number below 2^-127 is 2^-127 under saturate, NaN without.
pub const E8_07: RuleId = RuleId(88);
/// A power of two in range is kept.
pub const E8_08: RuleId = RuleId(89);
/// Between powers of two, up takes the larger.
pub const E8_09: RuleId = RuleId(90);
/// Between powers of two, down takes the smaller.
pub const E8_10: RuleId = RuleId(91);
/// Between powers of two, nearest takes the nearer, by arithmetic midpoint.
pub const E8_11: RuleId = RuleId(92);
/// Midway between powers of two, nearest takes the larger.
pub const E8_12: RuleId = RuleId(93);
/// A source that float32 does not hold is rounded once, directly; a rounding through float32 is tolerated.
pub const E8_13: RuleId = RuleId(94);
/// Sources other than wide floats go by their value, though the table speaks of floats only.
pub const E8_14: RuleId = RuleId(95);
/// float8e8m0 to float32, float64 and bfloat16 is exact; 0xff becomes any NaN.
pub const E8_20: RuleId = RuleId(96);
/// float8e8m0 to float16 overflows to infinity from 2^16 on and underflows to zero from 2^-25 down.
pub const E8_21: RuleId = RuleId(97);
/// float8e8m0 to an integer follows FI-01 to FI-05 on its value.
pub const E8_22: RuleId = RuleId(98);
/// A number within -6 and 6 rounds to nearest even.
pub const F4_01: RuleId = RuleId(99);
/// Zero keeps its sign.
pub const F4_02: RuleId = RuleId(100);
/// A number beyond 6 becomes 6 of its sign.
pub const F4_03: RuleId = RuleId(101);
/// Infinity becomes 6 of its sign.
pub const F4_04: RuleId = RuleId(102);
/// NaN becomes 6; zeros and -6 are tolerated.
pub const F4_05: RuleId = RuleId(103);
/// An integer within -6 and 6 rounds to nearest even.
pub const F4_06: RuleId = RuleId(104);
/// An integer beyond 6 becomes 6 of its sign.
pub const F4_07: RuleId = RuleId(105);
/// float4e2m1 to a wider float is exact.
pub const F4_08: RuleId = RuleId(106);
/// float4e2m1 to an integer follows FI-01 to FI-05 on its value.
pub const F4_09: RuleId = RuleId(107);
/// A number that float6 holds exactly is kept.
pub const F6_01: RuleId = RuleId(108);
/// An inexact number in range rounds to nearest even.
pub const F6_02: RuleId = RuleId(109);
/// A number out of range, or an infinity, becomes the largest number of its sign.
pub const F6_03: RuleId = RuleId(110);
/// NaN becomes a zero or a largest number.
pub const F6_04: RuleId = RuleId(111);
/// A decimal numeral, plain or scientific, is rounded once from its exact value; a rounding through float64 is tolerated.
pub const S_01: RuleId = RuleId(112);
/// INF and +INF, in any case, are positive infinity.
pub const S_02: RuleId = RuleId(113);
/// -INF is negative infinity.
pub const S_03: RuleId = RuleId(114);
/// -INF in another case is negative infinity, though the sentence on case does not name it.
pub const S_04: RuleId = RuleId(115);
/// NaN, in any case, is any NaN.
pub const S_05: RuleId = RuleId(116);
/// A text that is no numeral is undefined.
pub const S_06: RuleId = RuleId(117);
/// A numeral beyond the range becomes infinity of its sign; a refusal is tolerated.
pub const S_07: RuleId = RuleId(118);
/// An integer numeral in range becomes its value.
pub const S_08: RuleId = RuleId(119);
/// A numeral with point or exponent to an integer is undefined; the text contradicts itself.
pub const S_09: RuleId = RuleId(120);
/// An integer numeral out of range is undefined.
pub const S_10: RuleId = RuleId(121);
/// string to bool is undefined.
pub const S_11: RuleId = RuleId(122);
/// bool to string is 1 or 0, or True or False.
pub const S_12: RuleId = RuleId(123);
/// A finite float is written in plain notation and reads back as itself; other notations are tolerated.
pub const S_13: RuleId = RuleId(124);
/// Infinities and NaN are written in a spelling that reads back.
pub const S_14: RuleId = RuleId(125);
/// Negative zero is written as a zero, with or without its sign.
pub const S_15: RuleId = RuleId(126);
/// An integer is written in decimal digits; other spellings of the same value are tolerated.
pub const S_16: RuleId = RuleId(127);
/// string to string changes nothing.
pub const S_17: RuleId = RuleId(128);
/// To bfloat16, float8, float6, float4 and narrow integers, a numeral is read exactly and follows the numeric rule.
pub const S_18: RuleId = RuleId(129);
/// From bfloat16, float8, float6, float4 and narrow integers, text follows S-13 to S-16.
pub const S_19: RuleId = RuleId(130);
/// CastLike does what Cast of the same operator set does; the values of its second input are not read.
pub const CL_01: RuleId = RuleId(131);
/// The text honours round_mode, the operator's function body drops it: either is expected.
pub const CL_04: RuleId = RuleId(132);
/// CastLike has no version with float6.
pub const CL_05: RuleId = RuleId(133);
/// Two 4-bit elements share a byte: the first in the low half, the second in the high half.
pub const P_01: RuleId = RuleId(134);
/// After an odd number of 4-bit elements the high half of the last byte is padding; it is written as zero.
pub const P_02: RuleId = RuleId(135);
/// N 4-bit elements take N/2 bytes, rounded up.
pub const P_03: RuleId = RuleId(136);
/// Four 2-bit elements share a byte, the first in the least significant bits.
pub const P_04: RuleId = RuleId(137);
/// The bits of the last byte that no 2-bit element uses are zero.
pub const P_05: RuleId = RuleId(138);
/// Elements of whole bytes are little-endian.
pub const P_06: RuleId = RuleId(139);
/// Elements are packed over the flattened tensor, not row by row.
pub const P_07: RuleId = RuleId(140);
/// An entry of int32_data holds one byte of packed 2- or 4-bit elements.
pub const P_08: RuleId = RuleId(141);
/// Four 6-bit elements take three bytes, the first in the least significant bits; N elements take 6N/8 bytes, rounded up.
pub const P_09: RuleId = RuleId(142);
/// The operator takes bfloat16, float16, float32, float64, int8 to int64, uint8 to uint64, complex64, complex128, qint8, quint8, qint16, quint16 and qint32.
pub const TF_B01: RuleId = RuleId(143);
/// A dtype outside the operator's 19 is refused.
pub const TF_B02: RuleId = RuleId(144);
/// Equal sizes keep shape and bytes.
pub const TF_B03: RuleId = RuleId(145);
/// To a narrower dtype, the ratio of sizes is appended to the shape.
pub const TF_B04: RuleId = RuleId(146);
/// To a wider dtype, the last size must be the ratio of sizes, and is dropped.
pub const TF_B05: RuleId = RuleId(147);
/// To a wider dtype, a scalar is refused.
pub const TF_B06: RuleId = RuleId(148);
/// To a wider dtype, any other last size is refused, multiples and 0 too.
pub const TF_B07: RuleId = RuleId(149);
/// An empty tensor to a wider dtype drops the last size.
pub const TF_B08: RuleId = RuleId(150);
/// An empty tensor to a narrower dtype appends the ratio.
pub const TF_B09: RuleId = RuleId(151);
/// A scalar to a narrower dtype becomes a vector.
pub const TF_B10: RuleId = RuleId(152);
/// Real to complex succeeds where the shape fits, though the page says that it fails.
pub const TF_B13: RuleId = RuleId(153);
/// Real to complex is refused where the shape does not fit.
pub const TF_B14: RuleId = RuleId(154);
/// Complex to real gives real and imaginary part.
pub const TF_B15: RuleId = RuleId(155);
/// complex128 to complex64 appends 2.
pub const TF_B16: RuleId = RuleId(156);
/// A dtype outside the operator's 25 is refused.
pub const OX_B01: RuleId = RuleId(157);
/// Equal widths keep shape and bits.
pub const OX_B02: RuleId = RuleId(158);
/// Different widths are refused.
pub const OX_B03: RuleId = RuleId(159);
/// complex64 and 64-bit dtypes: the real part is the low half.
pub const OX_B06: RuleId = RuleId(160);
/// complex128 goes with itself alone.
pub const OX_B07: RuleId = RuleId(161);
/// A byte other than 0 and 1 to bool is kept.
pub const OX_B08: RuleId = RuleId(162);
/// 2- and 4-bit elements are kept in place; padding is no part of the value.
pub const OX_B10: RuleId = RuleId(163);
/// Scalars and empty tensors keep their shape.
pub const OX_B11: RuleId = RuleId(164);
/// Complex to real is the real part, cast.
pub const TF_C01: RuleId = RuleId(165);
/// Real or bool to complex has the imaginary part 0.
pub const TF_C02: RuleId = RuleId(166);
/// Complex to bool tests the real part alone, though the page claims numpy's rule.
pub const TF_C03: RuleId = RuleId(167);
/// A real part that is NaN, infinite or out of range to an integer is undefined.
pub const TF_C04: RuleId = RuleId(168);
/// Complex to complex casts each part.
pub const TF_C08: RuleId = RuleId(169);
/// Complex to real is the real part, cast.
pub const MC_01: RuleId = RuleId(170);
/// Complex to bool tests the real part alone.
pub const MC_02: RuleId = RuleId(171);
/// Real or bool to complex has the imaginary part 0.
pub const MC_03: RuleId = RuleId(172);
/// Complex to complex casts each part; an older kernel dropped the imaginary one.
pub const MC_04: RuleId = RuleId(173);
/// A real part that is NaN, infinite or out of range to an integer is undefined.
pub const MC_05: RuleId = RuleId(174);
/// Complex to real is the real part, cast.
pub const NP_01: RuleId = RuleId(175);
/// Complex to bool tests both parts.
pub const NP_02: RuleId = RuleId(176);
/// Real or bool to complex has the imaginary part 0.
pub const NP_03: RuleId = RuleId(177);
/// Complex to complex casts each part.
pub const NP_04: RuleId = RuleId(178);
/// A real part that is NaN, infinite or out of range to an integer is undefined.
pub const NP_05: RuleId = RuleId(179);
/// Two tensors promote to the wider or higher of their dtypes.
pub const MS_01: RuleId = RuleId(180);
/// A number of kind bool keeps the tensor's dtype.
pub const MS_02: RuleId = RuleId(181);
/// A dtype outside the basic 15 is refused.
pub const MS_03: RuleId = RuleId(182);
/// uint16, uint32 and uint64 promote with bool and themselves alone.
pub const MS_A1: RuleId = RuleId(183);
/// int8 with uint8 promotes to int16.
pub const MS_A2: RuleId = RuleId(184);
/// float16 with bfloat16 promotes to float32.
pub const MS_A3: RuleId = RuleId(185);
/// float64 with complex64 promotes to complex128.
pub const MS_A4: RuleId = RuleId(186);
/// An integer with float16 or bfloat16 promotes to that float, though it may not fit.
pub const MS_A5: RuleId = RuleId(187);
/// A number of kind float makes a bool or integer tensor float32.
pub const MS_A6: RuleId = RuleId(188);
/// A number of kind int makes a bool tensor int64.
pub const MS_A7: RuleId = RuleId(189);
/// uint16, uint32 and uint64 tensors refuse numbers of kind int and float.
pub const MS_A8: RuleId = RuleId(190);
/// A number of kind int or float otherwise keeps the tensor's dtype.
pub const MS_A9: RuleId = RuleId(191);
/// Both operands are cast to the dtype of the promotion; what it holds is kept, zero with its sign.
pub const MS_O1: RuleId = RuleId(192);
/// A real operand to complex has the imaginary part 0.
pub const MS_O2: RuleId = RuleId(193);
/// An operand that is NaN becomes any NaN.
pub const MS_O3: RuleId = RuleId(194);
/// A number of kind int beyond the tensor's dtype keeps its low bits, read in two's complement.
pub const MS_O4: RuleId = RuleId(195);
/// A number of kind float is rounded once, from float64, to nearest even; beyond the range it is infinity. To 16 bits a rounding through float32 is tolerated.
pub const MS_O5: RuleId = RuleId(196);
/// An integer that the float does not hold is rounded once, to nearest even.
pub const MS_O6: RuleId = RuleId(197);
/// An integer beyond the largest float16 becomes infinity of its sign, unless it rounds back.
pub const MS_O7: RuleId = RuleId(198);
/// A number of kind float keeps its value beside float64 and complex128.
pub const MS_O8: RuleId = RuleId(199);
/// A block is 32 numbers. It becomes one scale of float8e8m0 and 32 elements, and an element stands for its own value times the scale.
pub const MX_01: RuleId = RuleId(200);
/// A shorter last block is quantised as if zeros filled it.
pub const MX_02: RuleId = RuleId(201);
/// A tensor whose last axis 32 does not divide is refused.
pub const MX_03: RuleId = RuleId(202);
/// The scale is the largest power of two that is not above the largest magnitude, divided by the largest power of two that the elements have.
pub const MX_04: RuleId = RuleId(203);
/// The scale is the smallest power of two that is not below the largest magnitude, divided by the largest power of two that the elements have.
pub const MX_05: RuleId = RuleId(204);
/// The scale is the smallest power of two that is not below the largest magnitude divided by the largest element. The division is exact.
pub const MX_06: RuleId = RuleId(205);
/// The largest magnitude is first rounded to as many significand bits as the elements have, a half up. Then the scale is that of MX-04.
pub const MX_07: RuleId = RuleId(206);
/// The rounding of MX-07 has no largest exponent, so that every finite block has a scale that is a power of two.
pub const MX_08: RuleId = RuleId(207);
/// An infinity counts as 2^128 where the scale is made, and becomes the largest element with its sign.
pub const MX_09: RuleId = RuleId(208);
/// The scale is the smallest power of two by which the largest magnitude can be divided so that the quotient, rounded to nearest even, is at most the largest element.
pub const MX_10: RuleId = RuleId(209);
/// A scale below 2^-127 becomes 2^-127, 0x00.
pub const MX_11: RuleId = RuleId(210);
/// A block of zeros has the scale 2^-127, 0x00.
pub const MX_12: RuleId = RuleId(211);
/// A block with an infinity has the scale NaN, 0xff.
pub const MX_13: RuleId = RuleId(212);
/// A block with a NaN of either sign and any payload has the scale NaN, 0xff.
pub const MX_14: RuleId = RuleId(213);
/// Under a scale that is NaN every element stands for NaN, so its code is open.
pub const MX_15: RuleId = RuleId(214);
/// A number is divided by the scale exactly and rounded once, to nearest even, subnormal elements included. A zero, also one that rounding makes, keeps its sign.
pub const MX_16: RuleId = RuleId(215);
/// What rounds beyond the largest element becomes the largest element with its sign.
pub const MX_17: RuleId = RuleId(216);
/// A number is divided by the scale and rounded once, to nearest even, but where the scale is 0x00 it is divided by 2^-126, twice what the scale says.
pub const MX_18: RuleId = RuleId(217);
/// The blocks of a tensor lie along one axis. Each line along it begins a block of its own, and becomes what it would become alone.
pub const MX_19: RuleId = RuleId(218);
/// The blocks of a tensor lie along its last axis. Each row becomes what it would become alone.
pub const MX_20: RuleId = RuleId(219);
/// The largest magnitude is multiplied by 1 over the largest element, first rounded to float32, and the product is rounded to float32. The scale is the smallest power of two that is not below the product.
pub const MX_21: RuleId = RuleId(220);
/// A block with an infinity has the largest scale, 2^127, 0xfe.
pub const MX_22: RuleId = RuleId(221);
/// A NaN does not enter the largest magnitude; a block of NaN alone has the largest magnitude 0.
pub const MX_23: RuleId = RuleId(222);
/// A NaN becomes 0x7f, whatever its sign and payload.
pub const MX_24: RuleId = RuleId(223);
/// What becomes of a tensor whose last axis 32 does not divide is open here; it is refused.
pub const MX_25: RuleId = RuleId(224);
/// The blocks of a tensor lie along its last axis. Each row becomes what it would become alone. The copy that TransformerEngine makes of blocks along the first axis is not asked.
pub const MX_26: RuleId = RuleId(225);
/// The scale should be that of MX-04, which is recommended, not demanded: a block may have any power of two. Its elements belong to the scale that it has, by MX-16 and MX-17. NaN is no power of two, so it is none of them.
pub const MX_27: RuleId = RuleId(226);
/// The text does not say which scale zeros alone have, nor what a scale below 2^-127 becomes, nor what a NaN or an infinity makes of the scale and of its own element.
pub const MX_28: RuleId = RuleId(227);
/// A block is 16 numbers. It becomes one scale of float8e4m3fn and 16 elements of float4e2m1; the tensor has one more scale of float32, which follows from its largest magnitude G.
pub const NV_01: RuleId = RuleId(228);
/// Every step is one operation of float32, rounded to nearest even.
pub const NV_02: RuleId = RuleId(229);
/// The scale of the tensor is p = G/2688, which decodes. With the largest magnitude m of the block, the scale of the block is (m/6)/p, first clamped to 2^-6 and 448, then rounded to nearest even. NaN stays NaN, 0x7f.
pub const NV_03: RuleId = RuleId(230);
/// A number is multiplied by (1/p)/S, where S is the scale as stored. Zero times an infinite factor is NaN, whose element is open.
pub const NV_04: RuleId = RuleId(231);
/// A NaN makes the largest magnitude NaN, and so the scale. The elements are then open.
pub const NV_05: RuleId = RuleId(232);
/// A tensor whose last axis 16 does not divide is refused.
pub const NV_06: RuleId = RuleId(233);
/// The scale of the tensor is s = 2688/G, which encodes, at most the largest float32; it is 1 where G or the quotient is 0. The scale of the block with the largest magnitude m is m*(s*(1/6)), at most the largest float32, rounded to nearest even and clamped to 448. It may round to 0.
pub const NV_07: RuleId = RuleId(234);
/// A number is multiplied by 1/(S*(1/s)), at most the largest float32, where S is the scale as stored. Under a scale of 0 every number but zero becomes 6 or -6.
pub const NV_08: RuleId = RuleId(235);
/// A NaN does not enter the largest magnitude; a block of NaN alone has the largest magnitude 0.
pub const NV_09: RuleId = RuleId(236);
/// A NaN becomes 6, whatever its sign.
pub const NV_10: RuleId = RuleId(237);
/// What becomes of a tensor whose last axis 16 does not divide is open here; it is refused.
pub const NV_11: RuleId = RuleId(238);
/// The product is rounded to nearest even, and what rounds beyond 6 becomes 6 with its sign; a zero keeps its sign.
pub const NV_12: RuleId = RuleId(239);
/// The blocks of a tensor lie along its last axis. Given the scale of the tensor, each row becomes what it would become alone.
pub const NV_13: RuleId = RuleId(240);
/// An element stands for its own value times the scale of its block. The product is exact.
pub const BD_01: RuleId = RuleId(241);
/// The scale with the code e is 2^(e-127); 0x00 is 2^-127, and no code is zero or infinite.
pub const BD_02: RuleId = RuleId(242);
/// Under the scale 0xff every number is NaN, whatever its element.
pub const BD_03: RuleId = RuleId(243);
/// Under any other scale an element that is NaN is NaN, and an infinity is that infinity.
pub const BD_04: RuleId = RuleId(244);
/// A product beyond the largest float32 is open.
pub const BD_05: RuleId = RuleId(245);
/// The product is rounded to the dtype of the numbers once, to nearest even, subnormal numbers included. A zero, also one that rounding makes, keeps the sign of its element. A product that float32 holds and that rounds beyond the largest number is infinite.
pub const BD_06: RuleId = RuleId(246);
/// A row that the size of a block does not divide ends with a shorter block, which has a scale of its own.
pub const BD_07: RuleId = RuleId(247);
/// A scale is a float8e4m3fn without sign: 0x00 is zero, codes below 0x08 are subnormal, and under 0x7f every number is NaN.
pub const BD_08: RuleId = RuleId(248);
/// An element of a group of 128 stands for its own value times the scale, rounded to float32 to nearest even, then to the dtype of the numbers. Zeros, infinities and NaN follow IEEE 754: under an infinite scale a zero is NaN.
pub const BD_09: RuleId = RuleId(249);
/// A row that 128 does not divide ends with a shorter group, which has a scale of its own.
pub const BD_10: RuleId = RuleId(250);
/// A group is 128 numbers along the last axis. It becomes one scale and 128 elements of float8e4m3fn, and an element stands for its own value times the scale. The scale is a float32, in fp8-deepgemm-ue8m0 a float8e8m0.
pub const FB_01: RuleId = RuleId(251);
/// Every step is one operation of float32, rounded to nearest even; a number of bfloat16 is a float32 first. The largest magnitude m of the group is exact.
pub const FB_02: RuleId = RuleId(252);
/// Each row of a tensor begins a group of its own, and becomes what it would become alone.
pub const FB_03: RuleId = RuleId(253);
/// A shorter last group is quantised as if zeros filled it.
pub const FB_04: RuleId = RuleId(254);
/// What becomes of a row that 128 does not divide is open here; it is refused.
pub const FB_05: RuleId = RuleId(255);
/// An m below 1e-4 (0x38d1b717) counts as 1e-4, so zeros have the scale of 1e-4.
pub const FB_06: RuleId = RuleId(256);
/// An m below 1e-10 (0x2edbe6ff) counts as 1e-10. vLLM takes the bound as an argument; this is its default.
pub const FB_07: RuleId = RuleId(257);
/// The scale is the quotient m/448. PyTorch on CUDA computes it as the product with the rounded 1/448, which is another scale for many m.
pub const FB_08: RuleId = RuleId(258);
/// The scale is the smallest power of two that is not below the quotient m/448, at least 2^-126 (0x01) and at most 2^127 (0xfe).
pub const FB_09: RuleId = RuleId(259);
/// The scale is the product of m with the rounded 1/448 (0x3b124925).
pub const FB_10: RuleId = RuleId(260);
/// Numbers are multiplied by e = 448/m, and the scale is 1/e.
pub const FB_11: RuleId = RuleId(261);
/// If m is 0 or infinite, e is 1. If 448/m is infinite, e is the largest number of the dtype of the numbers.
pub const FB_12: RuleId = RuleId(262);
/// A NaN in the group makes m and the scale NaN. Every element is NaN, and stands for NaN whatever its code, so its code is open.
pub const FB_13: RuleId = RuleId(263);
/// A NaN or an infinity in the group gives the largest scale, 2^127 (0xfe). A NaN becomes NaN; what an infinity becomes follows from the version of PyTorch and is open.
pub const FB_14: RuleId = RuleId(264);
/// An infinity in the group makes the scale infinite. The inverse is 0: an infinity becomes NaN, other numbers become zeros with their sign.
pub const FB_15: RuleId = RuleId(265);
/// A NaN does not enter m. A NaN becomes -448, for it is first compared with the lower bound. Beside an infinity the scale is infinite, and the infinity, whose quotient is NaN, becomes -448 too.
pub const FB_16: RuleId = RuleId(266);
/// A NaN does not enter m, and becomes 0x7f, whatever its sign.
pub const FB_17: RuleId = RuleId(267);
/// Beside an infinity the scale is infinite, and 448/m is 0: the infinity becomes 0x7f, other numbers become zeros with their sign.
pub const FB_18: RuleId = RuleId(268);
/// A number is multiplied by the rounded inverse of the scale.
pub const FB_19: RuleId = RuleId(269);
/// A number is divided by the scale.
pub const FB_20: RuleId = RuleId(270);
/// A number is multiplied by 448/m, not by the inverse of the scale.
pub const FB_21: RuleId = RuleId(271);
/// What is multiplied or divided so is rounded to nearest even, subnormal elements included. What is beyond 448 becomes 448 with its sign. A zero, also one that rounding makes, keeps its sign.
pub const FB_22: RuleId = RuleId(272);
/// A number is the exact value of the formula of its type, rounded to float32 once, to nearest even. Only the sum of a product and a minimum rounds, and a number of Q8_K, whose scale is a float32.
pub const GG_01: RuleId = RuleId(273);
/// A scale that is NaN or infinite follows IEEE 754 step by step: zero times infinity and the difference of infinities are NaN. The zero of a bare product has the product of the signs, so that 0 under a negative scale is -0. Any NaN will do.
pub const GG_02: RuleId = RuleId(274);
/// Numbers of float16 and bfloat16 are the float32 of GG-01, rounded to nearest even; what rounds beyond the largest one is infinite.
pub const GG_03: RuleId = RuleId(275);
/// A scale of Q3_K has six bits and counts from -32. Its low four bits are a nibble of the first 8 bytes of scales, low nibbles first; its high two bits are those of the last 4 bytes, the lowest pair first.
pub const GG_04: RuleId = RuleId(276);
/// Scales and minima of Q4_K and Q5_K have six bits. The first four of each are the low six bits of bytes 0 to 3 and 4 to 7; the last four have their low bits in the nibbles of bytes 8 to 11, and their high two bits in the top of bytes 0 to 3 and 4 to 7.
pub const GG_05: RuleId = RuleId(277);
/// The elements of MXFP4 count halves, 0, 1, 2, 3, 4, 6, 8 and 12, and the scale with the code e is 2^(e-128), for every code: 0x00 and 0x01 are subnormal, and 0xff is 2^127. What is beyond float32 is infinite. Element 8 is the positive zero.
pub const GG_06: RuleId = RuleId(278);
/// A scale of NVFP4 is a float8e4m3fn whose sign is not read. 0x00, 0x80 and 0x7f are zero, and 0xff is 480. Element 8 is the positive zero. The scale of the tensor is another tensor of the file.
pub const GG_07: RuleId = RuleId(279);
/// In a field of nibbles the low ones are the first half of its elements, in the order of the bytes, and the high ones the second half. The fields of Q2_K, Q3_K, Q6_K and TQ2_0 hold 128 elements in 32 bytes of four pairs of bits, or in 64 bytes of two nibbles, in the same way.
pub const GG_08: RuleId = RuleId(280);
/// A byte of TQ1_0 has five digits to the base 3, the highest first: multiply by a power of 3, keep the low eight bits, take the part above 256 of three times that.
pub const GG_09: RuleId = RuleId(281);
/// Q4_0 and Q5_0: d is the number of the largest magnitude, the first of equal ones, with its sign, over -8 or -16. An element is its number times the rounded 1/d, plus 8.5 or 16.5, without the fraction, 15 or 31 at most. Each step is rounded to float32. d is stored as float16, but elements follow from the d that was not rounded to it.
pub const GG_10: RuleId = RuleId(282);
/// Q4_1 and Q5_1: m is the smallest number, and d is the largest less m, over 15 or 31. An element is its number less m, times the rounded 1/d, plus 0.5, without the fraction. Each step is rounded to float32. d and m are stored as float16, but elements follow from those that were not rounded to it.
pub const GG_11: RuleId = RuleId(283);
/// Q8_0: d is the largest magnitude over 127. An element is its number times the rounded 1/d, rounded to the nearest integer, halves away from zero. Each step is rounded to float32. d is stored as float16, but elements follow from the d that was not rounded to it.
pub const GG_12: RuleId = RuleId(284);
/// MXFP4: the code of the scale is the logarithm of the largest magnitude to the base 2 without its fraction, plus 125; 0 for zeros. An element is the code whose number is nearest, the first code of those that are as near, so ties go to the smaller magnitude and zeros are code 0. A code that is one too large is tolerated where the logarithm is less than a unit of float32 below an integer: 3.9999998 gives 0x7f with the logarithm of glibc and of numpy, 0x7e without rounding.
pub const GG_13: RuleId = RuleId(285);
/// NVFP4: a scale is a sixth of the largest magnitude of 16 numbers, rounded to float32, then to float8e4m3fn without sign, ties up; from 248 on it is 448, and a subnormal one is 7 units at most. Elements as those of MXFP4, under the scale that is stored.
pub const GG_14: RuleId = RuleId(286);
/// A compiler may fuse a product and the sum behind it, so that they round once. What elements become by that is tolerated: 0.37116855 in a block of Q4_0 whose largest number is -0.5398816 is 14, and fused 13.
pub const GG_16: RuleId = RuleId(287);
/// Zeros give the scale 0 and elements of 0, which is 8 or 16 in Q4_0 and Q5_0; their scale is -0. A NaN does not enter the largest number. It becomes 0 in MXFP4 and NVFP4, as infinity does in NVFP4. What is not in the range of an integer when it becomes one is open: a NaN, an infinity, all numbers but zero where 1/d is infinite, the scale of MXFP4 below 2^-125 and for infinity. A block of Q8_0 with a NaN is open: the reference begins its search again behind it. So is the sign of a minimum of zero where zeros of both signs are.
pub const GG_17: RuleId = RuleId(288);
/// Toward zero: a number between two neighbours of the format, whose exponent is taken to have no upper end, goes to the smaller magnitude. Rounding comes before saturation in every mode.
pub const PJ_01: RuleId = RuleId(289);
/// Up and down: a number between two neighbours goes to the greater one, or to the smaller one, with its sign taken into account. -2^-20 rounded up in an unsigned format is 0.
pub const PJ_02: RuleId = RuleId(290);
/// Nearest even: a number goes to the nearer neighbour, a tie to the one with the even significand; with a precision of 1, to the one with the even exponent code, and zero is even.
pub const PJ_03: RuleId = RuleId(291);
/// Nearest away: a number goes to the nearer neighbour, a tie to the larger magnitude.
pub const PJ_04: RuleId = RuleId(292);
/// To odd: a number between two neighbours goes to the odd one, so that one below the smallest number becomes that one and never zero.
pub const PJ_05: RuleId = RuleId(293);
/// Stochastic A with N random bits R: the fraction v of the magnitude between its neighbours is cut to N bits, and the number goes to the larger magnitude if floor(v * 2^N) + R >= 2^N. A number that the format holds never moves, and the sign plays no part.
pub const PJ_06: RuleId = RuleId(294);
/// Stochastic B with N random bits R: the number goes to the larger magnitude if floor(v * 2^(N+1)) + 2R + 1 >= 2^(N+1).
pub const PJ_07: RuleId = RuleId(295);
/// Stochastic C with N random bits R: v * 2^N is rounded to an integer, ties to even, and the number goes to the larger magnitude if that and R together reach 2^N.
pub const PJ_08: RuleId = RuleId(296);
/// A random number R of N bits is from 0 to 2^N - 1. It acts on the magnitude alone: the larger R, the more often the result is the larger magnitude. A number that the format holds never moves, under A, B and C.
pub const PJ_09: RuleId = RuleId(297);
/// At least one random bit is asked for. The report does not exclude none: A would then cut, B round ties away, and C ties toward zero.
pub const PJ_10: RuleId = RuleId(298);
/// Stochastic A with the exact fraction in place of its first N bits is the same function, since R is an integer; so is an R that is shifted left into more bits.
pub const PJ_11: RuleId = RuleId(299);
/// In a format of precision 1 every number is a power of two or zero, so that a tie goes to the even exponent code: 1.5 becomes 0x80 in binary8p1uf, and 3 becomes 0x82.
pub const PJ_13: RuleId = RuleId(300);
/// The roundings have other names: .rn, .rz, .rm, .rp, .rna and .rs in PTX; rne, rtz, rdn, rup, rmm and rod of RISC-V; to_nearest_even and its kin in MLIR; rtne and rtz in Triton.
pub const PJ_14: RuleId = RuleId(301);
/// A negative number that is rounded to zero in an unsigned format is 0, not NaN: -2^-20 to the nearest of binary8p4uf is 0x00, and rounded down it is 0xff.
pub const PJ_15: RuleId = RuleId(302);
/// To the nearest, the range ends half a unit beyond the largest number. The tie itself goes beyond if the largest code is odd, 55296 in binary8p4ue, and stays if it is even, 232 in binary8p4se.
pub const PJ_16: RuleId = RuleId(303);
/// In a finite format without saturation, what is beyond the largest number becomes it by the report, and NaN by the text of July 2026. Both are editions: p3109-4.0, the default, and p3109-july-2026.
pub const PJ_17: RuleId = RuleId(304);
/// Negative zero, and what is rounded to it, is code 0 in formats of P3109, and +0 in a format of IEEE 754 that it is converted to. Other formats with a negative zero keep the sign.
pub const PJ_20: RuleId = RuleId(305);
/// Saturation of P3109. Finite: what is beyond the largest number becomes it, infinities too. Propagate: the same, but infinity stays where the format has it. None: a number that is rounded inward becomes the largest, any other infinity; in a finite domain the report keeps the largest number, and the text of July 2026 gives NaN. A negative number below an unsigned format is 0 if it saturates or is rounded inward, else NaN. NaN is NaN.
pub const PJ_21: RuleId = RuleId(306);
/// A format without infinity and NaN, such as float6e2m3 and float4e2m1, keeps its largest number under every rounding. NaN has no result there, also with saturation.
pub const PJ_32: RuleId = RuleId(307);
/// CUDA's ue5m3 drops the sign first: -3 is 0x84, and negative infinity is the largest number if it saturates, else NaN. Here negative numbers to ue5m3 are open.
pub const PJ_34: RuleId = RuleId(308);
/// Saturation of formats that are not of P3109. Finite: what is beyond the largest number becomes it, infinities too. None: a number that is rounded inward becomes the largest, any other infinity, or NaN where there is none; a format of finite numbers alone keeps the largest. To odd, the odd one of the largest number and what lies beyond it. NaN is any NaN of the format. Where specifications differ, any code is right: NaN to a format without NaN, zero to float8e8m0, negative numbers to an unsigned format. An inward rounding to a format without infinity may also give NaN.
pub const PJ_41: RuleId = RuleId(309);
/// Three answers exist for zero and for negative numbers to float8e8m0: the sign is dropped, NaN, or the lowest code. None of them is a question of rounding, so they are open here.
pub const PJ_42: RuleId = RuleId(310);
/// Of fp8e4b15, Triton's comment says that 0x7f and 0xff are 1.75 and -1.75; its interpreter reads 1.875. What becomes of numbers beyond is not said. So no vector asks for it.
pub const PJ_60: RuleId = RuleId(311);
/// Two codes of 4 bits share a byte. nibbles-low has code 2i in the low nibble and code 2i + 1 in the high one; nibbles-high has them the other way round; nibbles-low-rows begins each row with a byte of its own. nibbles-split-32 has code i of a block of 32 in the low nibble of byte i, and code i + 16 in its high nibble; nibbles-split-16 does so with blocks of 16 and 8. The nibble behind an odd number of codes may be anything.
pub const LY_01: RuleId = RuleId(312);
/// ct-b: code i of a row occupies the bits i*b to i*b + b - 1 of a stream of bits, which fills little-endian words of 32 bits from their lowest bit on; a code may cross from one word into the next. A row of C codes takes ceil(C*b/32) words, and the bits behind its last code are 0. A code is a signed integer of b bits and stored plus 2^(b-1), which turns its highest bit around: -8 is stored as 0 and 7 as f.
pub const LY_02: RuleId = RuleId(313);
/// The direction of the stream: weights of GPTQ, K x N, are packed along K, so that word (w, n) holds codes of column n, and the words are a matrix of K*b/32 x N. Zero points of GPTQ, groups x N, are packed along N. Zero points of compressed-tensors, N x groups, are packed along N, which are their rows, as signed integers plus 2^(b-1); their words are a matrix of ceil(N*b/32) x groups. GPTQ's codes are stored as they are.
pub const LY_03: RuleId = RuleId(314);
/// awq: word (r, w) holds the columns 8w to 8w + 7 of row r. From the lowest nibble up it holds the columns 8w + 0, 2, 4, 6, 1, 3, 5, 7, so that the codes 0 to 7 become the word 75316420. Weights and zero points lie alike.
pub const LY_04: RuleId = RuleId(315);
/// Version 2 of GPTQ stores a zero point z, version 1 stores z - 1. A file of version 1 that is made from one of version 2 has 1 subtracted from every field by one subtraction of 11111111 (4 bits), 55555555 (2 bits) or 01010101 (8 bits) from the word, modulo 2^32, so that z = 0 borrows from the field above: gptq-zeros-v1-word. Where each z is lessened alone, modulo 2^b, it is gptq-zeros-v1-field. gptq-zeros-v1 asks for zero points of at least 1, of which both make the same.
pub const LY_05: RuleId = RuleId(316);
/// swizzle-128x4: a matrix of R x C scales of a byte lies in tiles of 128 x 4, row of tiles by row of tiles, 512 bytes each. The scale at row r and column c is byte ((r/128)*ceil(C/4) + c/4)*512 + (r%32)*16 + (r%128/32)*4 + c%4, with quotients rounded down. There are 512*ceil(R/128)*ceil(C/4) bytes. Those of no scale are 0; in swizzle-128x4-7f they are 7f, and in swizzle-128x4-any they may be anything. The matrices of a batch follow each other, each padded by itself.
pub const LY_06: RuleId = RuleId(317);
/// swizzle-8x4: as swizzle-128x4 with tiles of 8 x 4 that hold their rows one after the other. The scale at row r and column c is byte ((r/8)*ceil(C/4) + c/4)*32 + (r%8)*4 + c%4 of 32*ceil(R/8)*ceil(C/4). Bytes of no scale are 0; in swizzle-8x4-any they may be anything.
pub const LY_07: RuleId = RuleId(318);
/// ue8m0-mn: four columns of float8e8m0 scales share a word, and the words lie column by column. A column has A words, R rounded up to a multiple of 4; the scale at row r and column c is byte ((c/4)*A + r)*4 + c%4. Bytes of columns behind the last are 0. Words of rows behind the last are 0; ue8m0-mn-kernel leaves them as they were. float32-mn: scales of float32 lie column by column, the one at row r and column c is number c*A + r, and those behind the last row may be anything.
pub const LY_08: RuleId = RuleId(319);
/// marlin-4 and marlin-8: codes of K x N weights are cut in tiles of 16 x 64, row of tiles by row of tiles; a tile's codes fill little-endian words from the lowest bits on. Of the 1,024 codes of tile (T, c), slot n holds this one: n' is n with its place among its neighbours changed, 8*(n/8) + o[n%8] with o = 0 2 4 6 1 3 5 7 for 4 bits, 4*(n/4) + o[n%4] with o = 0 2 1 3 for 8 bits; i = n'/32, j = n'%32/8, b = n'%8/4, r = n'%4; it is row 16T + 2*(i%4) + r%2 + 8*(r/2) and column 64c + 16j + i/4 + 8b.
pub const LY_09: RuleId = RuleId(320);
/// An integer output is x divided by its scale, rounded to an integer, ties to even, plus the zero point. The sum is exact.
pub const QL_01: RuleId = RuleId(321);
/// A float output is x divided by its scale, rounded to nearest even in the output's dtype, subnormal numbers included. The text has no rounding of its own for floats.
pub const QL_02: RuleId = RuleId(322);
/// The quotient is one of the precision that the attribute names, or else of the dtype of the scale. Whether x is rounded to it before, or the quotient only, is open. The quotient of the wider of both dtypes, which the reference evaluator takes, is tolerated where no attribute is given.
pub const QL_03: RuleId = RuleId(323);
/// The text names no precision: a quotient of the operands' dtype, of float32 or without rounding are right.
pub const QL_04: RuleId = RuleId(324);
/// The text does not say how an int32 enters a division by a float32: through float32, through float64 or exactly.
pub const QL_05: RuleId = RuleId(325);
/// Where x and scale are int32, the quotient is exact, of float64, or an integer without fraction, which has no negative zero; the text does not say which.
pub const QL_06: RuleId = RuleId(326);
/// Under a scale of float8e8m0 a division in its own dtype has no meaning: a quotient of the dtype of x, of float32, of float64 or without rounding is right.
pub const QL_07: RuleId = RuleId(327);
/// A result beyond the range of the output becomes the nearest end of the range: -128 to 127 for int8, and so on for each integer; the largest number of its sign for float4, float6, and float8 with saturate 1. saturate changes nothing where the output is no float8.
pub const QL_08: RuleId = RuleId(328);
/// With saturate 0 a result that rounds beyond the largest float8 becomes infinity in float8e5m2 and NaN in the others. The tables that the text means are those of Cast.
pub const QL_09: RuleId = RuleId(329);
/// A negative zero keeps its sign where the output has one; a positive zero is tolerated.
pub const QL_10: RuleId = RuleId(330);
/// A scale of rank 1 has one number for each place along the axis.
pub const QL_11: RuleId = RuleId(331);
/// A scale of the rank of x has one number for each block_size places along the axis; the last block may be shorter.
pub const QL_12: RuleId = RuleId(332);
/// An infinity is beyond every range: it becomes the nearest end of the range, or what saturate 0 makes of it. NaN is tolerated in float8e4m3fnuz and float8e5m2fnuz, as the tables of Cast before version 24 have it.
pub const QL_13: RuleId = RuleId(333);
/// Whether the zero point of a float output is added, and before or after which rounding, is open; zero as a zero point changes no more than the sign of zero.
pub const QL_14: RuleId = RuleId(334);
/// NaN becomes NaN where the output has one.
pub const QL_15: RuleId = RuleId(335);
/// What NaN becomes in an integer, a float4 or a float6 is open.
pub const QL_16: RuleId = RuleId(336);
/// Under a scale that is zero, negative, infinite or NaN every output is open, also where the scale becomes zero or infinite in the precision of the quotient.
pub const QL_17: RuleId = RuleId(337);
/// The output is x less its zero point, times its scale. The difference is exact.
pub const DL_01: RuleId = RuleId(338);
/// The text names no precision: a product that is rounded to nearest even in the output's dtype once, of operands that were rounded to it before, or in float32 first are right.
pub const DL_02: RuleId = RuleId(339);
/// The product is one of the output's dtype, rounded to nearest even. Whether the operands are rounded to it before is open. A product of float32 that is rounded a second time, which the reference evaluator makes, is tolerated.
pub const DL_03: RuleId = RuleId(340);
/// A scale of float8e8m0 is its power of two; output_dtype names the output, because the scale's own dtype is not among those of the output.
pub const DL_04: RuleId = RuleId(341);
/// A product beyond the output's range becomes infinity of its sign.
pub const DL_05: RuleId = RuleId(342);
/// A negative zero of a float stays negative; a positive zero is tolerated.
pub const DL_06: RuleId = RuleId(343);
/// A scale of rank 1 has one number for each place along the axis.
pub const DL_07: RuleId = RuleId(344);
/// A scale of the rank of x has one number for each block_size places along the axis; the last block may be shorter.
pub const DL_08: RuleId = RuleId(345);
/// NaN stays NaN, and infinity stays infinity with its sign.
pub const DL_09: RuleId = RuleId(346);
/// Under a scale that is zero, negative, infinite or NaN every output is open, also where the scale becomes zero or infinite in the output's dtype.
pub const DL_10: RuleId = RuleId(347);
/// The scale is the largest number, or 0 if that is greater, less the smallest, or 0 if that is less, divided by 255, each step in float32. The zero point is 0 less the smallest divided by the scale, rounded to nearest even and clamped to 0 and 255. The elements follow from both as QuantizeLinear of version 10 has it, whose quotient is of float32 or without rounding (QL-04).
pub const DQ_01: RuleId = RuleId(348);
/// Where all numbers are zero, the scale becomes zero or infinite, or a number is NaN or infinite, every result is open.
pub const DQ_02: RuleId = RuleId(349);
/// A float to an integer drops its fraction: rounding is toward zero.
pub const RS_01: RuleId = RuleId(350);
/// A float whose integral part is beyond the integer's range, infinities included, becomes the nearest end of the range.
pub const RS_02: RuleId = RuleId(351);
/// NaN to an integer becomes 0.
pub const RS_03: RuleId = RuleId(352);
/// An integer to an integer keeps its low bits; a wider one is filled with the sign of the source.
pub const RS_04: RuleId = RuleId(353);
/// An integer to a float rounds to nearest even, once.
pub const RS_05: RuleId = RuleId(354);
/// float64 to float32 rounds to nearest even, and beyond the range becomes infinity; float32 to float64 is exact.
pub const RS_06: RuleId = RuleId(355);
/// To an integer, true is 1 and false is 0; bool to a float and anything to bool do not compile.
pub const RS_07: RuleId = RuleId(356);
/// NaN to a float becomes any NaN: its sign and payload are open.
pub const RS_08: RuleId = RuleId(357);
/// A dtype other than bool, int8 to int64, uint8 to uint64, float32 and float64, or an attribute, is refused: stable Rust has none.
pub const RS_09: RuleId = RuleId(358);
/// A bool has no byte other than 0 and 1: what becomes of one is open.
pub const RS_10: RuleId = RuleId(359);
/// A float to int32 or int64 drops its fraction. An integral part that the target does not hold, an infinity and NaN become the code with only the highest bit set.
pub const X8_01: RuleId = RuleId(360);
/// Whether the target holds a number is decided after its fraction is dropped.
pub const X8_03: RuleId = RuleId(361);
/// A float to an integer of 8 or 16 bits becomes the low bits of its conversion to int32, as gcc compiles it.
pub const X8_05: RuleId = RuleId(362);
/// A float to uint32 becomes the low bits of its conversion to int64, as gcc compiles it without vectors; vectorised loops take other instructions.
pub const X8_06: RuleId = RuleId(363);
/// A float to uint64 is converted to int64; one of 2^63 or more is lowered by 2^63 first, and the highest bit of the result is changed. The compiler chooses so, not the processor, which has no such conversion: C leaves the result open. Of 2^64 gcc makes 0 and clang 22 makes 2^63.
pub const X8_12: RuleId = RuleId(364);
/// An integer to an integer keeps its low bits; a wider one is filled with the sign of the source.
pub const X8_07: RuleId = RuleId(365);
/// float64 to float32 rounds to nearest even, and beyond the range becomes infinity; float32 to float64 is exact.
pub const X8_10: RuleId = RuleId(366);
/// NaN to the other float keeps its sign and the upper bits of its payload, and becomes quiet.
pub const X8_13: RuleId = RuleId(367);
/// An integer to a float rounds to nearest even, once.
pub const X8_14: RuleId = RuleId(368);
/// A cast to the dtype of the source changes no code: no instruction is needed.
pub const X8_15: RuleId = RuleId(369);
/// To bool, zeros are false and all else, NaN included, is true; true is 1 and false is 0.
pub const X8_16: RuleId = RuleId(370);
/// A dtype other than bool, int8 to int64, uint8 to uint64, float32 and float64, or an attribute, is refused.
pub const X8_17: RuleId = RuleId(371);
/// A bool has no byte other than 0 and 1: what becomes of one is open.
pub const X8_18: RuleId = RuleId(372);
/// A float to uint32 or uint64 drops its fraction. An integral part that the target does not hold, negative ones among them, an infinity and NaN become the code of all ones.
pub const X8_02: RuleId = RuleId(373);
/// A float to an integer drops its fraction; what is beyond the range, infinities included, becomes the nearest end of the range, and NaN becomes 0.
pub const WA_01: RuleId = RuleId(374);
/// An integer to a narrower one keeps its low bits; a wider one is filled with the sign of the source; between int32 and uint32, or int64 and uint64, the code stays.
pub const WA_04: RuleId = RuleId(375);
/// An integer to a float rounds to nearest even, once.
pub const WA_05: RuleId = RuleId(376);
/// float64 to float32 rounds to nearest even, and beyond the range becomes infinity; float32 to float64 is exact.
pub const WA_06: RuleId = RuleId(377);
/// A NaN without payload becomes one of either sign. Another NaN becomes any arithmetic NaN: the highest bit of its significand is set, sign and other bits are free. The words of demote say any NaN; its formula is that of promote, of which the words say any arithmetic NaN.
pub const WA_07: RuleId = RuleId(378);
/// A value of the target's type needs no conversion: no code changes.
pub const WA_09: RuleId = RuleId(379);
/// A dtype other than int32, uint32, int64, uint64, float32 and float64, or an attribute, is refused: there is no such conversion.
pub const WA_10: RuleId = RuleId(380);
/// A float to int32 or int64 drops its fraction; what is beyond the range, infinities included, becomes the nearest end of the range, and NaN becomes 0.
pub const JV_01: RuleId = RuleId(381);
/// A float to int8, int16 or uint16 becomes the low bits of its conversion to int32.
pub const JV_02: RuleId = RuleId(382);
/// An integer to an integer keeps its low bits; a wider one is filled with the sign of the source.
pub const JV_03: RuleId = RuleId(383);
/// An integer to a float rounds to nearest even, once.
pub const JV_04: RuleId = RuleId(384);
/// float64 to float32 rounds to nearest even, and beyond the range becomes infinity; float32 to float64 is exact.
pub const JV_05: RuleId = RuleId(385);
/// NaN to a float is NaN: its sign and payload are open.
pub const JV_06: RuleId = RuleId(386);
/// A dtype other than int8, int16, uint16 (char), int32, int64, float32 and float64, or an attribute, is refused: there is no such cast.
pub const JV_07: RuleId = RuleId(387);
/// A cast to the dtype of the source changes no number.
pub const JV_08: RuleId = RuleId(388);
/// A float to an integer drops its fraction; the low bits of what is left are kept, however large it is.
pub const JS_01: RuleId = RuleId(389);
/// NaN and infinities to an integer become 0.
pub const JS_02: RuleId = RuleId(390);
/// An integer to an integer keeps its low bits; a wider one is filled with the sign of the source.
pub const JS_04: RuleId = RuleId(391);
/// Between an integer of 64 bits, which is a BigInt, and another dtype there is no conversion: it throws.
pub const JS_05: RuleId = RuleId(392);
/// A float to a narrower one rounds to nearest even, once, and beyond the range becomes infinity; to a wider one it is exact. An element of a Float16Array is a float16.
pub const JS_06: RuleId = RuleId(393);
/// NaN to a float may be any NaN.
pub const JS_07: RuleId = RuleId(394);
/// A number stored in an array of its own dtype stays.
pub const JS_08: RuleId = RuleId(395);
/// An integer to a float rounds to nearest even, once, and beyond the range becomes infinity.
pub const JS_09: RuleId = RuleId(396);
/// A dtype other than int8 to int64, uint8 to uint64, float16, float32 and float64, or an attribute, is refused: there is no such array.
pub const JS_10: RuleId = RuleId(397);
/// A float to int32, uint32, int64 or uint64 drops its fraction: compilers name the mode toward zero.
pub const RV_01: RuleId = RuleId(398);
/// The range is that of the number without its fraction; beyond it the nearest end is the result.
pub const RV_02: RuleId = RuleId(399);
/// NaN becomes the largest integer of the target.
pub const RV_03: RuleId = RuleId(400);
/// NaN to the other float becomes the positive quiet NaN without payload.
pub const RV_06: RuleId = RuleId(401);
/// float64 to float32 rounds to nearest even, and beyond the range becomes infinity; float32 to float64 is exact.
pub const RV_07: RuleId = RuleId(402);
/// An integer to a float rounds to nearest even, once.
pub const RV_08: RuleId = RuleId(403);
/// A float to an integer of 8 or 16 bits becomes the low bits of its conversion to an integer of 32 bits with the same sign. The compiler chooses so, not the processor: C leaves the result open. clang 22 converts to 64 bits: float32 2^31 to int8 is 0xff here, and 0x00 there.
pub const RV_09: RuleId = RuleId(404);
/// An integer to an integer keeps its low bits; a wider one is filled with the sign of the source.
pub const RV_10: RuleId = RuleId(405);
/// A cast to the dtype of the source changes no code: no conversion is needed.
pub const RV_11: RuleId = RuleId(406);
/// To bool, zeros are false and all else, NaN included, is true; true is 1 and false is 0.
pub const RV_12: RuleId = RuleId(407);
/// A dtype other than bool, int8 to int64, uint8 to uint64, float32 and float64, or an attribute, is refused.
pub const RV_13: RuleId = RuleId(408);
/// A bool has no byte other than 0 and 1: what becomes of one is open.
pub const RV_14: RuleId = RuleId(409);
/// A float to int32, uint32, int64 or uint64 drops its fraction.
pub const AR_01: RuleId = RuleId(410);
/// An integral part beyond the range, infinities included, becomes the nearest end of the range.
pub const AR_02: RuleId = RuleId(411);
/// NaN to an integer becomes 0.
pub const AR_03: RuleId = RuleId(412);
/// A float to an integer of 8 or 16 bits becomes the low bits of its conversion to an integer of 32 bits with the same sign. The compiler chooses so, not the processor: C leaves the result open. clang 22 converts to int32 for unsigned ones too, and so do loops of gcc 12.2 at -O3: float32 2^31 to uint8 is 0x00 here, and 0xff there.
pub const AR_04: RuleId = RuleId(413);
/// An integer to an integer keeps its low bits; a wider one is filled with the sign of the source.
pub const AR_05: RuleId = RuleId(414);
/// An integer to a float rounds to nearest even, once.
pub const AR_06: RuleId = RuleId(415);
/// float64 to float32 rounds to nearest even, and beyond the range becomes infinity; float32 to float64 is exact.
pub const AR_07: RuleId = RuleId(416);
/// NaN to the other float keeps its sign and the upper bits of its payload, and becomes quiet.
pub const AR_08: RuleId = RuleId(417);
/// A cast to the dtype of the source changes no code: no conversion is needed.
pub const AR_09: RuleId = RuleId(418);
/// To bool, zeros are false and all else, NaN included, is true; true is 1 and false is 0.
pub const AR_10: RuleId = RuleId(419);
/// A dtype other than bool, int8 to int64, uint8 to uint64, float32 and float64, or an attribute, is refused.
pub const AR_11: RuleId = RuleId(420);
/// A bool has no byte other than 0 and 1: what becomes of one is open.
pub const AR_12: RuleId = RuleId(421);
/// A float to an integer of any width drops its fraction; what is beyond the range, infinities included, becomes the nearest end of the range, and NaN becomes 0.
pub const LL_02: RuleId = RuleId(422);
/// An integer to an integer keeps its low bits; a wider one is filled with the sign of the source.
pub const LL_03: RuleId = RuleId(423);
/// An integer to a float rounds to nearest even, once: that is the default rounding mode.
pub const LL_04: RuleId = RuleId(424);
/// float64 to float32 rounds to nearest even, and beyond the range becomes infinity; float32 to float64 is exact.
pub const LL_05: RuleId = RuleId(425);
/// NaN to the other float becomes any NaN.
pub const LL_06: RuleId = RuleId(426);
/// A value of the target's type needs no conversion: no code changes.
pub const LL_07: RuleId = RuleId(427);
/// A dtype other than int2 to int64, uint2 to uint64, float32 and float64, or an attribute, is refused.
pub const LL_08: RuleId = RuleId(428);
/// A float to an integer of 8 to 64 bits drops its fraction where the integral part is in range.
pub const ML_01: RuleId = RuleId(429);
/// A float beyond the range of an integer of 8 to 64 bits, an infinity or NaN: the conversion of C++, which leaves the result open.
pub const ML_02: RuleId = RuleId(430);
/// A float to an integer of 2 or 4 bits drops its fraction.
pub const ML_03: RuleId = RuleId(431);
/// A float to an integer of 2 or 4 bits is converted to int8 or uint8 first, and its low bits are kept.
pub const ML_04: RuleId = RuleId(432);
/// A float to an integer of 2 or 4 bits that int8 or uint8 does not hold, an infinity or NaN: the conversion of C++, which leaves the result open.
pub const ML_05: RuleId = RuleId(433);
/// An integer to an integer keeps its low bits; a wider one is filled with the sign of the source.
pub const ML_06: RuleId = RuleId(434);
/// An integer to a float of at least 16 bits rounds to nearest even; beyond the largest number it becomes infinity.
pub const ML_07: RuleId = RuleId(435);
/// A float to a float of at least 16 bits rounds to nearest even, subnormals included; beyond the largest number it becomes infinity.
pub const ML_08: RuleId = RuleId(436);
/// NaN to a float of at least 16 bits becomes any NaN.
pub const ML_09: RuleId = RuleId(437);
/// A number that float32 does not hold rounds to nearest even in bfloat16. ml_dtypes rounds to float32 first; where this gives another result, it is tolerated.
pub const ML_10: RuleId = RuleId(438);
/// A number to a float8 dtype with a sign rounds to nearest even; zero keeps its sign where the dtype has two zeros.
pub const ML_11: RuleId = RuleId(439);
/// A number that is beyond the largest float8 after it is rounded, or an infinity, becomes infinity of its sign, NaN of its sign in float8e4m3fn, and NaN in the FNUZ dtypes. Nothing saturates.
pub const ML_12: RuleId = RuleId(440);
/// NaN to float8e4m3fn or float8e5m2 becomes the quiet NaN without payload, of the same sign; the FNUZ dtypes have one NaN.
pub const ML_13: RuleId = RuleId(441);
/// A number that float32 does not hold is rounded to float32 first when it is cast to a float of at most 8 bits.
pub const ML_14: RuleId = RuleId(442);
/// A number to float4e2m1 and float6 rounds to nearest even; beyond the largest number, infinities included, it becomes the largest number of its sign.
pub const ML_15: RuleId = RuleId(443);
/// NaN to float4e2m1 and float6 becomes zero of the other sign: the positive NaN becomes negative zero.
pub const ML_16: RuleId = RuleId(444);
/// Zero, a negative number, an infinity and NaN become NaN in float8e8m0.
pub const ML_17: RuleId = RuleId(445);
/// A positive number to float8e8m0 rounds to the nearest power of two, a tie up; if that is above 2^127, it becomes NaN.
pub const ML_18: RuleId = RuleId(446);
/// A positive number below 2^-127 becomes 2^-127 in float8e8m0.
pub const ML_19: RuleId = RuleId(447);
/// A number between 2^-127 and 2^-126 becomes either of the two in float8e8m0. ml_dtypes always takes the larger.
pub const ML_20: RuleId = RuleId(448);
/// A float of at most 8 bits or an integer of 2 or 4 bits is exact in a wider dtype that holds it.
pub const ML_21: RuleId = RuleId(449);
/// A zero of either sign is false, all else is true, NaN included; false becomes 0 and true 1.
pub const ML_22: RuleId = RuleId(450);
/// A cast to the same dtype changes no code.
pub const ML_23: RuleId = RuleId(451);
/// There is no cast between signed and unsigned integers of at most 4 bits other than uint2 to uint4 and int2 to int4, and none from int4 to int2 or uint4 to uint2; none between int4 or uint4 and float6e2m3; and none between float8e8m0 and integers of at most 4 bits, float4e2m1, float6 or another float8.
pub const ML_24: RuleId = RuleId(452);
/// A cast has no attribute.
pub const ML_25: RuleId = RuleId(453);
/// A bool has no byte other than 0 and 1: what becomes of one is open.
pub const ML_26: RuleId = RuleId(454);
/// A float to an integer drops its fraction where the integral part is in range: C++ names the mode toward zero.
pub const CU_01: RuleId = RuleId(455);
/// A float beyond the range of an integer, infinities included, becomes the nearest end of the range.
pub const CU_02: RuleId = RuleId(456);
/// NaN to an integer of 8, 16 or 32 bits becomes 0, unless it is of float64.
pub const CU_03: RuleId = RuleId(457);
/// NaN to an integer of 64 bits, and NaN of float64 to any integer, becomes the code with only its highest bit set.
pub const CU_04: RuleId = RuleId(458);
/// An integer to an integer keeps its low bits; a wider one is filled with the sign of the source.
pub const CU_05: RuleId = RuleId(459);
/// An integer to a float of at least 16 bits rounds to nearest even, once; beyond the largest number it becomes infinity.
pub const CU_06: RuleId = RuleId(460);
/// A float to a float of at least 16 bits rounds to nearest even, once, subnormals included; beyond the largest number it becomes infinity.
pub const CU_07: RuleId = RuleId(461);
/// NaN to float16 and bfloat16 becomes 0x7fff, unless it is of float64: sign and payload are lost.
pub const CU_08: RuleId = RuleId(462);
/// NaN to float32 and float64, and NaN of float64 to float16 and bfloat16, becomes any NaN: a host gives 0x7fff in 16 bits, and a device keeps the sign and the upper payload bits.
pub const CU_09: RuleId = RuleId(463);
/// A number to float8e4m3fn or float8e5m2 rounds to nearest even, once, from float64 too; zero keeps its sign.
pub const CU_10: RuleId = RuleId(464);
/// A number that is beyond the largest float8e4m3fn or float8e5m2 after it is rounded, or an infinity, becomes the largest number of its sign, unless `saturate` is 0.
pub const CU_11: RuleId = RuleId(465);
/// NaN of float64 to float8e4m3fn or float8e5m2 becomes any NaN. The headers keep its sign and, in float8e5m2, its upper payload bits.
pub const CU_12: RuleId = RuleId(466);
/// NaN of another float to float8e4m3fn or float8e5m2 becomes 0x7f: sign and payload are lost.
pub const CU_13: RuleId = RuleId(467);
/// A number to float4e2m1 or float6 rounds to nearest even, once; zero keeps its sign.
pub const CU_14: RuleId = RuleId(468);
/// A number beyond the largest float4e2m1 or float6, or an infinity, becomes the largest number of its sign.
pub const CU_15: RuleId = RuleId(469);
/// NaN to float4e2m1 or float6 becomes the largest number, whatever the sign of the NaN.
pub const CU_16: RuleId = RuleId(470);
/// A positive number to float8e8m0 rounds up to a power of two, unless `round_mode` is down or nearest: its constructors name this mode.
pub const CU_17: RuleId = RuleId(471);
/// The sign of a number is dropped in float8e8m0: a negative number becomes what its magnitude becomes.
pub const CU_18: RuleId = RuleId(472);
/// Zero and a positive number below 2^-127 become 2^-127 in float8e8m0.
pub const CU_19: RuleId = RuleId(473);
/// A number above 2^127 and infinity become 2^127 in float8e8m0: its constructors saturate. With `saturate` 0, infinity and a number that is above 2^127 after it is rounded become NaN.
pub const CU_20: RuleId = RuleId(474);
/// NaN is code 0xff in float8e8m0.
pub const CU_21: RuleId = RuleId(475);
/// A float of at most 8 bits is exact in a wider float that holds it; NaN of float8e8m0 becomes any NaN in float32 and float64.
pub const CU_22: RuleId = RuleId(476);
/// A zero of either sign is false, all else is true: NaN too, and every float8e8m0. false becomes 0 and true 1, where the target has them.
pub const CU_23: RuleId = RuleId(477);
/// A cast to the same dtype changes no code.
pub const CU_24: RuleId = RuleId(478);
/// A float of at most 8 bits has no constructor from another one: the cast is refused.
pub const CU_25: RuleId = RuleId(479);
/// A dtype other than bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, float8e4m3fn, float8e5m2, float8e8m0, float6 and float4e2m1 is refused; so is an attribute, but for `saturate` of a float of at least 16 bits to float8e4m3fn, float8e5m2 and float8e8m0, and `round_mode` of one to float8e8m0. Only functions of these casts take such an argument.
pub const CU_26: RuleId = RuleId(480);
/// A bool has no byte other than 0 and 1: what becomes of one is open.
pub const CU_27: RuleId = RuleId(481);
/// With `saturate` 0, a number that is beyond the largest float8e5m2 after it is rounded, or an infinity, becomes infinity of its sign. In float8e4m3fn it becomes NaN, which keeps its sign.
pub const CU_28: RuleId = RuleId(482);
/// With `round_mode` down, a positive number to float8e8m0 rounds down to a power of two.
pub const CU_29: RuleId = RuleId(483);
/// With `round_mode` down and `saturate` 0, a finite float64 from 2^128 on becomes 2^127 in float8e8m0: it becomes the largest float32 first. The header's comment says NaN of what is above 2^127 after it is rounded, which is tolerated.
pub const CU_30: RuleId = RuleId(484);
/// With `round_mode` nearest, a positive number to float8e8m0 becomes the nearest power of two, and one in the middle of two becomes the greater.
pub const CU_31: RuleId = RuleId(485);
/// A float to an integer drops its fraction where the integral part is in range, in 2 and 4 bits too.
pub const SI_01: RuleId = RuleId(486);
/// A float beyond the range of an integer, infinities included, becomes the nearest end of the range.
pub const SI_02: RuleId = RuleId(487);
/// NaN to an integer becomes 0.
pub const SI_03: RuleId = RuleId(488);
/// An integer to an integer keeps its low bits; a wider one is filled with the sign of the source.
pub const SI_04: RuleId = RuleId(489);
/// An integer to a float of at least 16 bits rounds to nearest even, once; beyond the largest number it becomes infinity.
pub const SI_05: RuleId = RuleId(490);
/// A float to a float of at least 16 bits rounds to nearest even, once, subnormals included; beyond the largest number it becomes infinity.
pub const SI_06: RuleId = RuleId(491);
/// NaN to a float of at least 16 bits becomes any NaN. The interpreter makes it quiet and keeps sign and upper payload bits, of which the specification says nothing.
pub const SI_07: RuleId = RuleId(492);
/// A number to a float8 dtype with a sign rounds to nearest even, once, from any source; zero keeps its sign where the dtype has two zeros.
pub const SI_08: RuleId = RuleId(493);
/// A number that is beyond the largest float8 after it is rounded, or an infinity, becomes infinity of its sign, NaN of its sign in float8e4m3fn, and NaN in the FNUZ dtypes. Nothing saturates.
pub const SI_09: RuleId = RuleId(494);
/// NaN to a float8 dtype with a sign becomes any NaN. The interpreter keeps its sign and, in float8e5m2, the upper bits of its payload, of which the specification says nothing.
pub const SI_10: RuleId = RuleId(495);
/// A number to float4e2m1 and float6 rounds to nearest even, once; beyond the largest number it becomes the largest number of its sign.
pub const SI_11: RuleId = RuleId(496);
/// An infinity to float4e2m1 and float6 becomes zero of its sign.
pub const SI_12: RuleId = RuleId(497);
/// NaN to float4e2m1 and float6 becomes zero of either sign. The interpreter keeps the sign, and counts the NaN of the FNUZ dtypes as positive.
pub const SI_13: RuleId = RuleId(498);
/// A float of at most 8 bits or an integer of 2 or 4 bits is exact in a wider dtype that holds it.
pub const SI_14: RuleId = RuleId(499);
/// A zero of either sign is false, all else is true, NaN included; false becomes 0 and true 1.
pub const SI_15: RuleId = RuleId(500);
/// A cast to the same dtype changes no code.
pub const SI_16: RuleId = RuleId(501);
/// float8e8m0 is left out: negative numbers become unrelated ones there, and its NaN becomes infinity. A cast has no attribute.
pub const SI_17: RuleId = RuleId(502);
/// A bool has no byte other than 0 and 1: what becomes of one is open.
pub const SI_18: RuleId = RuleId(503);
/// A float to an integer without `round_mode` drops its fraction where the integral part is in range: without a mode, `convert` rounds toward zero.
pub const OL_01: RuleId = RuleId(504);
/// A float beyond the range of an integer, infinities included, becomes the nearest end of the range, and NaN becomes 0: `_sat` says so.
pub const OL_02: RuleId = RuleId(505);
/// An integer to an integer that has it keeps its value; otherwise it becomes the nearest end of the range, for `_sat` clamps integers too.
pub const OL_03: RuleId = RuleId(506);
/// An integer to a float rounds to nearest even, once.
pub const OL_04: RuleId = RuleId(507);
/// A float to a float rounds to nearest even; beyond the largest number it becomes infinity. Subnormals are kept, as on a device that has CL_FP_DENORM.
pub const OL_05: RuleId = RuleId(508);
/// NaN to another float becomes any NaN.
pub const OL_06: RuleId = RuleId(509);
/// A conversion to the same dtype changes no code.
pub const OL_07: RuleId = RuleId(510);
/// A dtype other than int8 to int64, uint8 to uint64, float32 and float64 is refused; so is an attribute other than the `round_mode` of a float to an integer.
pub const OL_08: RuleId = RuleId(511);
/// A float to an integer with a `round_mode` rounds to the nearest integer, a tie to the even one (nearest, `_rte`), toward positive infinity (up, `_rtp`) or toward negative infinity (down, `_rtn`).
pub const OL_09: RuleId = RuleId(512);
/// A float to an integer is rounded to the nearest integer, a tie to the even one.
pub const TO_01: RuleId = RuleId(513);
/// A number whose nearest integer is beyond the range becomes the nearest end of the range.
pub const TO_02: RuleId = RuleId(514);
/// An infinity to an integer becomes the end of the range of its sign: the text speaks of overflow, the reference model clamps it.
pub const TO_03: RuleId = RuleId(515);
/// NaN to an integer: the result is unpredictable.
pub const TO_04: RuleId = RuleId(516);
/// An integer to an integer keeps its low bits; a wider one is filled with the sign of the source.
pub const TO_05: RuleId = RuleId(517);
/// An integer to a float is at most half a unit in the last place away: the nearest float is expected, and at a tie the other neighbour is tolerated. An integer that the float holds keeps its value, though the interval of the check reaches the float below a power of two.
pub const TO_06: RuleId = RuleId(518);
/// Where half a unit in the last place reaches beyond the largest float16, an integer may become infinity, and from there on it is infinity.
pub const TO_07: RuleId = RuleId(519);
/// A number that the target holds keeps its value, because rounding is done if needed, though the interval of the precision requirement reaches one unit below it. Zeros keep their sign, and infinities stay where the target has them.
pub const TO_08: RuleId = RuleId(520);
/// A number between two floats becomes the nearest one, a tie the even one; rounding toward zero is tolerated, and at a tie both neighbours are.
pub const TO_09: RuleId = RuleId(521);
/// A number that is beyond the largest one after it is rounded becomes infinity of its sign; rounded toward zero it may stay the largest one.
pub const TO_10: RuleId = RuleId(522);
/// A subnormal number of float16, bfloat16 or float32, as source or as result, becomes what its value does, or zero of its sign.
pub const TO_11: RuleId = RuleId(523);
/// NaN becomes any NaN of the target.
pub const TO_12: RuleId = RuleId(524);
/// To float8 nothing saturates: beyond the largest number, and from infinity, float8e4m3fn becomes NaN and float8e5m2 infinity of its sign.
pub const TO_13: RuleId = RuleId(525);
/// A number other than zero is true, NaN too; true is one, false zero.
pub const TO_14: RuleId = RuleId(526);
/// A pair that the table of supported data types lacks is refused, a cast of a dtype to itself among them.
pub const TO_15: RuleId = RuleId(527);
/// A dtype that the table of supported data types lacks is refused, and so is every attribute.
pub const TO_16: RuleId = RuleId(528);
/// How bool is stored is open, and so is a byte other than 0 and 1.
pub const TO_17: RuleId = RuleId(529);
/// A float to int32, uint32, int64 or uint64 drops its fraction; what is beyond the range, infinities included, becomes the nearest end of the range.
pub const DN_01: RuleId = RuleId(530);
/// NaN to int32 or int64 is 0.
pub const DN_02: RuleId = RuleId(531);
/// NaN to uint32 or uint64 is 0: the table does not list it, the runtime gives it.
pub const DN_03: RuleId = RuleId(532);
/// Every other cast, or an attribute, is refused: the change speaks of float32 and float64 to integers of 32 and 64 bits only. To narrower integers .NET 9 and 10 promise nothing out of range; .NET 11 saturates.
pub const DN_04: RuleId = RuleId(533);
/// A float to an integer drops its fraction; what is beyond the range then, infinities included, and NaN trap: there is no result.
pub const WA_02: RuleId = RuleId(534);
/// A cast other than of float32 and float64 to int32, uint32, int64 and uint64, or an attribute, is refused: no other conversion traps.
pub const WA_11: RuleId = RuleId(535);
/// A float to an integer drops its fraction where the integral part is in range.
pub const SH_01: RuleId = RuleId(536);
/// A number that the target has becomes that number: an integer or a float, from an integer or a float. So do an infinity and NaN where the target has them: NaN becomes any NaN.
pub const SH_02: RuleId = RuleId(537);
/// What the target does not have is open: an integer out of range, a float whose integral part is out of range, a number that would have to be rounded, an infinity or NaN that the dtype lacks.
pub const SH_03: RuleId = RuleId(538);
/// Zero is false and all else is true; false becomes 0 and true 1.
pub const SH_04: RuleId = RuleId(539);
/// A cast to the same dtype changes no number.
pub const SH_05: RuleId = RuleId(540);
/// A dtype that StableHLO lacks, or an attribute, is refused. float8e8m0 is left out: the reference interpreter, the only witness, makes unrelated numbers of negative ones.
pub const SH_06: RuleId = RuleId(541);
/// A bool has no byte other than 0 and 1: what becomes of one is open.
pub const SH_07: RuleId = RuleId(542);
/// A float to an integer drops its fraction, where the integral part is in range.
pub const WA_03: RuleId = RuleId(543);
/// What is beyond the range, infinities included, and NaN become what the saturating conversion gives, or one code: of int32 the highest bit alone; of uint32 all bits set, the same without the lowest bit, or the highest bit alone. Engines on x86 give these, and the text listed them until commit 3c2c6ee5 of 2025-05-26. Today's text leaves the result open, so that another code is tolerated.
pub const WA_13: RuleId = RuleId(544);
/// A cast other than of float32 and float64 to int32 and uint32, or an attribute, is refused: no other conversion is relaxed.
pub const WA_12: RuleId = RuleId(545);
/// A number that the float8 dtype has is kept, subnormals included, and zero keeps its sign.
pub const RO_01: RuleId = RuleId(546);
/// A number between two of the float8 dtype is rounded once, as `round_mode` says, the rounding mode in frm: nearest is rne, nearest-away rmm, toward-zero rtz, up rup, down rdn. Without it the mode is rne, with which a program of C begins. The range is tested after rounding: 464, midway between 448 and 480, is 448 by rne and beyond the range by rmm.
pub const RO_02: RuleId = RuleId(547);
/// By the plain instruction (`saturate` 0 or absent), a number that is beyond the largest one after it is rounded to nearest or away from zero becomes NaN in float8e4m3fn, 0x7f whatever its sign, and infinity of its sign in float8e5m2.
pub const RO_03: RuleId = RuleId(548);
/// By the plain instruction, infinity becomes NaN in float8e4m3fn, 0x7f whatever its sign, and stays infinity of its sign in float8e5m2, in every rounding mode.
pub const RO_04: RuleId = RuleId(549);
/// By the plain instruction, a number that is beyond the largest one of float8e5m2 in a rounding mode that goes toward zero (toward-zero; down, if it is positive; up, if it is negative) becomes the largest number of its sign, as IEEE 754 has it.
pub const RO_05: RuleId = RuleId(550);
/// The same in float8e4m3fn is the largest number of its sign or NaN, 0x7f. riscv-isa-sim gives the largest number, as if the dtype had infinity. The table of OFP8 without saturation, which is written for rounding to nearest, gives NaN to what overflows.
pub const RO_06: RuleId = RuleId(551);
/// By the instruction with `.sat` (`saturate` 1), what is beyond the largest number after rounding, infinity included, becomes the largest number of its sign.
pub const RO_07: RuleId = RuleId(552);
/// NaN becomes 0x7f in both float8 dtypes: its sign and its payload are lost.
pub const RO_08: RuleId = RuleId(553);
/// Every cast other than that of float32 or bfloat16 to float8e4m3fn or float8e5m2 is refused. Zvfofp8min narrows from these two only.
pub const RO_09: RuleId = RuleId(554);
