;; One operation for every layer of the speech model: out[r] = bias[r] + sum of weights[r][c] * in[c].
;; Rows stand one after the other; columns are padded with zeros to a multiple of eight. Addresses in bytes.
(module
  (memory (import "model" "memory") 1)
  (func (export "matvec")
    (param $out i32) (param $weights i32) (param $bias i32) (param $in i32) (param $rows i32) (param $columns i32)
    (local $row i32) (local $at i32) (local $end i32) (local $first v128) (local $second v128)
    (loop $rows
      (local.set $at (local.get $in))
      (local.set $end (i32.add (local.get $in) (i32.shl (local.get $columns) (i32.const 2))))
      (local.set $first (v128.const f32x4 0 0 0 0))
      (local.set $second (v128.const f32x4 0 0 0 0))
      (loop $columns
        (local.set $first
          (f32x4.add (local.get $first)
            (f32x4.mul (v128.load (local.get $weights)) (v128.load (local.get $at)))))
        (local.set $second
          (f32x4.add (local.get $second)
            (f32x4.mul (v128.load offset=16 (local.get $weights)) (v128.load offset=16 (local.get $at)))))
        (local.set $weights (i32.add (local.get $weights) (i32.const 32)))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br_if $columns (i32.lt_u (local.get $at) (local.get $end))))
      (local.set $first (f32x4.add (local.get $first) (local.get $second)))
      (f32.store (local.get $out)
        (f32.add
          (f32.load (local.get $bias))
          (f32.add
            (f32.add (f32x4.extract_lane 0 (local.get $first)) (f32x4.extract_lane 1 (local.get $first)))
            (f32.add (f32x4.extract_lane 2 (local.get $first)) (f32x4.extract_lane 3 (local.get $first))))))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (local.set $bias (i32.add (local.get $bias) (i32.const 4)))
      (local.set $row (i32.add (local.get $row) (i32.const 1)))
      (br_if $rows (i32.lt_u (local.get $row) (local.get $rows))))))
