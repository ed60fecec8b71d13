// Packed sequences (LoD): padded to one length so that ONNX can work on them, and packed again.
#pragma once
#include "convert/expression.h"

namespace oarlock {

/// How rows are cut into sequences.   offsets: int64[n+1]
struct Sequences {
  Expr offsets;

  Node& node() const { return offsets.node(); }
  Expr begins() const;   // [n]
  Expr ends() const;     // [n]
  Expr lengths() const;  // [n]
  Expr count() const;    // n as int64[1]
  Expr rows() const;     // the numbers of all rows [T]
};

/// Those of an operand.   Fails where it has none.
Sequences sequences_of(Node& n, std::string_view slot = "X");
/// Sequences one behind the other.   lengths: int64[n]
Sequences of_lengths(const Expr& lengths);
/// Offsets that were computed: where they do not cut so many rows (int64[1]), the run ends in an
/// error.
Sequences checked(const Sequences& sequences, const Expr& rows);

/// The largest of some numbers, 0 where there are none.   int64[1]
Expr largest(const Expr& lengths);

/// The places of padded sequences.   rows: int64[n,longest], the row that stands there, 0 behind
/// the end
struct Places {
  Expr rows, inside;  // int64 and bool [n,longest]
};
Places places(const Sequences& sequences);
/// The same for pieces of the rows.   begins, lengths: int64[n]; longest: int64[1]
Places places(const Expr& begins, const Expr& lengths, const Expr& longest);

/// [T,*] -> [n,longest,*], 0 or another number behind the end
Expr padded(const Expr& rows, const Places& places, double behind = 0);
/// [n,longest,*] -> [T,*]
Expr packed(const Expr& padded, const Expr& inside);
/// The number of the sequence that each row belongs to.   [T]
Expr sequence_numbers(const Sequences& sequences);
/// `v` with axes of size 1 behind, up to a rank.
Expr with_rank(const Expr& v, int rank);

}  // namespace oarlock
