;; What took most of the recogniser's time, how well each sound fits a frame, written anew for four or eight values a
;; step: scripts/recogniser-kernel.ts puts it into the published module in place of its own. Each value is computed by the
;; same operations in the same order as there, so that results are the same, bit for bit
;; (test/adapter/engine/embedded/recogniser/kernel.test.ts).
;;
;; The model: 3 streams of 13 features, and a codebook of 128 Gaussians a stream for each phone. The likeliest four
;; ("tops") are weighed for each senone (a state of a sound in its surroundings) of that phone.
;;
;; Structures of the module, by offset:
;;   scorer:     4 frames scored  12 Gaussians  16 number of senones  20 codebook of each senone  24 weights[stream][Gaussian]
;;               32 packed weights  36 number of tops (16 bits)  38 frames that a choice of tops is for (16 bits)
;;               40 history  44 its current entry  48 its length  52 table for sums of logarithms
;;   Gaussians:  0 means  4 precisions  8 constants, each [codebook][stream]  16 codebooks  20 streams  24 Gaussians
;;               28 features[stream]
;;   an entry of the history:  0 tops[codebook][stream], in one block, of pairs (Gaussian, score)  4 bits of codebooks in use

;; Our layout of the Gaussians, the same for all decoders: [stream][codebook][four Gaussians], of four each constant,
;; then mean and precision of each feature: 432 bytes. 0: not laid out yet.
(global $gaussians (mut i32) (i32.const 0))
(global $codebooks (mut i32) (i32.const 0))
;; Four frames of scores [stream][codebook][Gaussian], each behind its 39 features (160 bytes): decoders that hear the same
;; caller share them.
(global $frames (mut i32) (i32.const 0))
(global $frame_bytes (mut i32) (i32.const 0))
(global $next_frame (mut i32) (i32.const 0))
;; Senones' scores, 16 bits, and the weighing of the present codebook: 3 × 4 pairs (weights, score).
(global $senones (mut i32) (i32.const 0))
(global $weighing (mut i32) (i32.const 0))

(func $allocate (param $bytes i32) (result i32)
  (local $at i32)
  (if (i32.eqz (local.tee $at (call $malloc (i32.add (local.get $bytes) (i32.const 15))))) (then (unreachable)))
  (i32.and (i32.add (local.get $at) (i32.const 15)) (i32.const -16)))

;; [codebook][stream] of what stands at `offset` of the module's Gaussians.
(func $part (param $all i32) (param $codebook i32) (param $stream i32) (result i32)
  (i32.load (i32.add
    (i32.load (i32.add (local.get $all) (i32.shl (local.get $codebook) (i32.const 2))))
    (i32.shl (local.get $stream) (i32.const 2)))))

;; Traps where the model is another one.
(func $check (param $scorer i32)
  (local $all i32) (local $stream i32)
  (local.set $all (i32.load offset=12 (local.get $scorer)))
  (if (i32.or
      (i32.or
        (i32.or (i32.ne (i32.load offset=20 (local.get $all)) (i32.const 3)) (i32.ne (i32.load offset=24 (local.get $all)) (i32.const 128)))
        (i32.or (i32.load offset=32 (local.get $scorer)) (i32.ne (i32.load16_s offset=36 (local.get $scorer)) (i32.const 4))))
      (i32.load8_u offset=31 (i32.load (i32.load offset=52 (local.get $scorer)))))
    (then (unreachable)))
  (loop $streams
    (if (i32.ne
        (i32.load (i32.add (i32.load offset=28 (local.get $all)) (i32.shl (local.get $stream) (i32.const 2))))
        (i32.const 13))
      (then (unreachable)))
    (br_if $streams (i32.lt_u (local.tee $stream (i32.add (local.get $stream) (i32.const 1))) (i32.const 3)))))

(func $lay_out (param $scorer i32)
  (local $from i32) (local $to i32) (local $stream i32) (local $codebook i32) (local $gaussian i32) (local $feature i32)
  (local $means i32) (local $precisions i32) (local $constants i32) (local $at i32)
  (local.set $from (i32.load offset=12 (local.get $scorer)))
  (global.set $codebooks (i32.load offset=16 (local.get $from)))
  (global.set $frame_bytes (i32.add (i32.const 160) (i32.mul (global.get $codebooks) (i32.const 1536))))
  (global.set $frames (call $allocate (i32.shl (global.get $frame_bytes) (i32.const 2))))
  (memory.fill (global.get $frames) (i32.const 255) (i32.shl (global.get $frame_bytes) (i32.const 2)))
  (global.set $senones (call $allocate (i32.add (i32.shl (i32.load offset=16 (local.get $scorer)) (i32.const 1)) (i32.const 16))))
  (global.set $weighing (call $allocate (i32.const 96)))
  (global.set $gaussians (call $allocate (i32.mul (global.get $codebooks) (i32.const 41472))))
  (local.set $to (global.get $gaussians))
  (loop $streams
    (local.set $codebook (i32.const 0))
    (loop $codebooks
      (local.set $means (call $part (i32.load (local.get $from)) (local.get $codebook) (local.get $stream)))
      (local.set $precisions (call $part (i32.load offset=4 (local.get $from)) (local.get $codebook) (local.get $stream)))
      (local.set $constants (call $part (i32.load offset=8 (local.get $from)) (local.get $codebook) (local.get $stream)))
      (local.set $means (i32.load (local.get $means)))
      (local.set $precisions (i32.load (local.get $precisions)))
      (local.set $gaussian (i32.const 0))
      (loop $gaussians
        (local.set $at (i32.add
          (i32.add (local.get $to) (i32.mul (i32.shr_u (local.get $gaussian) (i32.const 2)) (i32.const 432)))
          (i32.shl (i32.and (local.get $gaussian) (i32.const 3)) (i32.const 2))))
        (f32.store (local.get $at) (f32.load (i32.add (local.get $constants) (i32.shl (local.get $gaussian) (i32.const 2)))))
        (local.set $feature (i32.const 0))
        (loop $features
          (f32.store offset=16 (local.get $at) (f32.load (local.get $means)))
          (f32.store offset=32 (local.get $at) (f32.load (local.get $precisions)))
          (local.set $means (i32.add (local.get $means) (i32.const 4)))
          (local.set $precisions (i32.add (local.get $precisions) (i32.const 4)))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (br_if $features (i32.lt_u (local.tee $feature (i32.add (local.get $feature) (i32.const 1))) (i32.const 13))))
        (br_if $gaussians (i32.lt_u (local.tee $gaussian (i32.add (local.get $gaussian) (i32.const 1))) (i32.const 128))))
      (local.set $to (i32.add (local.get $to) (i32.const 13824)))
      (br_if $codebooks (i32.lt_u (local.tee $codebook (i32.add (local.get $codebook) (i32.const 1))) (global.get $codebooks))))
    (br_if $streams (i32.lt_u (local.tee $stream (i32.add (local.get $stream) (i32.const 1))) (i32.const 3)))))

;; Log likelihoods of all Gaussians of a stream, up to `end`: the constant less precision × (feature − mean)² of each feature.
(func $score_stream (param $sound i32) (param $at i32) (param $to i32) (param $end i32)
  (local $d v128) (local $x v128)
  (local $o0 v128) (local $o1 v128) (local $o2 v128) (local $o3 v128) (local $o4 v128) (local $o5 v128) (local $o6 v128)
  (local $o7 v128) (local $o8 v128) (local $o9 v128) (local $o10 v128) (local $o11 v128) (local $o12 v128)
  (local.set $o0 (v128.load32_splat offset=0 (local.get $sound)))
  (local.set $o1 (v128.load32_splat offset=4 (local.get $sound)))
  (local.set $o2 (v128.load32_splat offset=8 (local.get $sound)))
  (local.set $o3 (v128.load32_splat offset=12 (local.get $sound)))
  (local.set $o4 (v128.load32_splat offset=16 (local.get $sound)))
  (local.set $o5 (v128.load32_splat offset=20 (local.get $sound)))
  (local.set $o6 (v128.load32_splat offset=24 (local.get $sound)))
  (local.set $o7 (v128.load32_splat offset=28 (local.get $sound)))
  (local.set $o8 (v128.load32_splat offset=32 (local.get $sound)))
  (local.set $o9 (v128.load32_splat offset=36 (local.get $sound)))
  (local.set $o10 (v128.load32_splat offset=40 (local.get $sound)))
  (local.set $o11 (v128.load32_splat offset=44 (local.get $sound)))
  (local.set $o12 (v128.load32_splat offset=48 (local.get $sound)))
  (loop $fours
    (local.set $d (v128.load (local.get $at)))
    (local.set $x (f32x4.sub (local.get $o0) (v128.load offset=16 (local.get $at))))
    (local.set $d
      (f32x4.sub (local.get $d) (f32x4.mul (v128.load offset=32 (local.get $at)) (f32x4.mul (local.get $x) (local.get $x)))))
    (local.set $x (f32x4.sub (local.get $o1) (v128.load offset=48 (local.get $at))))
    (local.set $d
      (f32x4.sub (local.get $d) (f32x4.mul (v128.load offset=64 (local.get $at)) (f32x4.mul (local.get $x) (local.get $x)))))
    (local.set $x (f32x4.sub (local.get $o2) (v128.load offset=80 (local.get $at))))
    (local.set $d
      (f32x4.sub (local.get $d) (f32x4.mul (v128.load offset=96 (local.get $at)) (f32x4.mul (local.get $x) (local.get $x)))))
    (local.set $x (f32x4.sub (local.get $o3) (v128.load offset=112 (local.get $at))))
    (local.set $d
      (f32x4.sub (local.get $d) (f32x4.mul (v128.load offset=128 (local.get $at)) (f32x4.mul (local.get $x) (local.get $x)))))
    (local.set $x (f32x4.sub (local.get $o4) (v128.load offset=144 (local.get $at))))
    (local.set $d
      (f32x4.sub (local.get $d) (f32x4.mul (v128.load offset=160 (local.get $at)) (f32x4.mul (local.get $x) (local.get $x)))))
    (local.set $x (f32x4.sub (local.get $o5) (v128.load offset=176 (local.get $at))))
    (local.set $d
      (f32x4.sub (local.get $d) (f32x4.mul (v128.load offset=192 (local.get $at)) (f32x4.mul (local.get $x) (local.get $x)))))
    (local.set $x (f32x4.sub (local.get $o6) (v128.load offset=208 (local.get $at))))
    (local.set $d
      (f32x4.sub (local.get $d) (f32x4.mul (v128.load offset=224 (local.get $at)) (f32x4.mul (local.get $x) (local.get $x)))))
    (local.set $x (f32x4.sub (local.get $o7) (v128.load offset=240 (local.get $at))))
    (local.set $d
      (f32x4.sub (local.get $d) (f32x4.mul (v128.load offset=256 (local.get $at)) (f32x4.mul (local.get $x) (local.get $x)))))
    (local.set $x (f32x4.sub (local.get $o8) (v128.load offset=272 (local.get $at))))
    (local.set $d
      (f32x4.sub (local.get $d) (f32x4.mul (v128.load offset=288 (local.get $at)) (f32x4.mul (local.get $x) (local.get $x)))))
    (local.set $x (f32x4.sub (local.get $o9) (v128.load offset=304 (local.get $at))))
    (local.set $d
      (f32x4.sub (local.get $d) (f32x4.mul (v128.load offset=320 (local.get $at)) (f32x4.mul (local.get $x) (local.get $x)))))
    (local.set $x (f32x4.sub (local.get $o10) (v128.load offset=336 (local.get $at))))
    (local.set $d
      (f32x4.sub (local.get $d) (f32x4.mul (v128.load offset=352 (local.get $at)) (f32x4.mul (local.get $x) (local.get $x)))))
    (local.set $x (f32x4.sub (local.get $o11) (v128.load offset=368 (local.get $at))))
    (local.set $d
      (f32x4.sub (local.get $d) (f32x4.mul (v128.load offset=384 (local.get $at)) (f32x4.mul (local.get $x) (local.get $x)))))
    (local.set $x (f32x4.sub (local.get $o12) (v128.load offset=400 (local.get $at))))
    (local.set $d
      (f32x4.sub (local.get $d) (f32x4.mul (v128.load offset=416 (local.get $at)) (f32x4.mul (local.get $x) (local.get $x)))))
    (v128.store (local.get $to) (local.get $d))
    (local.set $at (i32.add (local.get $at) (i32.const 432)))
    (br_if $fours (i32.lt_u (local.tee $to (i32.add (local.get $to) (i32.const 16))) (local.get $end)))))

;; Whether the frame at `frame` was scored for these features.
(func $is_same (param $frame i32) (param $features i32) (result i32)
  (local $stream i32) (local $at i32) (local $end i32)
  (loop $streams
    (local.set $at (i32.load (i32.add (local.get $features) (i32.shl (local.get $stream) (i32.const 2)))))
    (local.set $end (i32.add (local.get $at) (i32.const 52)))
    (loop $each
      (if (i32.ne (i32.load (local.get $at)) (i32.load (local.get $frame))) (then (return (i32.const 0))))
      (local.set $frame (i32.add (local.get $frame) (i32.const 4)))
      (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 4))) (local.get $end))))
    (br_if $streams (i32.lt_u (local.tee $stream (i32.add (local.get $stream) (i32.const 1))) (i32.const 3))))
  (i32.const 1))

;; All Gaussians' scores for these features.
(func $scores (param $features i32) (result i32)
  (local $frame i32) (local $at i32) (local $stream i32) (local $to i32) (local $sound i32) (local $stream_bytes i32)
  (local.set $at (i32.const 0))
  (loop $known
    (local.set $frame (i32.add (global.get $frames) (i32.mul (local.get $at) (global.get $frame_bytes))))
    (if (call $is_same (local.get $frame) (local.get $features))
      (then (return (i32.add (local.get $frame) (i32.const 160)))))
    (br_if $known (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (i32.const 4))))
  (local.set $frame (i32.add (global.get $frames) (i32.mul (global.get $next_frame) (global.get $frame_bytes))))
  (global.set $next_frame (i32.and (i32.add (global.get $next_frame) (i32.const 1)) (i32.const 3)))
  (local.set $to (i32.add (local.get $frame) (i32.const 160)))
  (local.set $at (global.get $gaussians))
  (local.set $stream_bytes (i32.mul (global.get $codebooks) (i32.const 512)))
  (loop $streams
    (local.set $sound (i32.load (i32.add (local.get $features) (i32.shl (local.get $stream) (i32.const 2)))))
    (memory.copy (i32.add (local.get $frame) (i32.mul (local.get $stream) (i32.const 52))) (local.get $sound) (i32.const 52))
    (call $score_stream (local.get $sound) (local.get $at) (local.get $to) (i32.add (local.get $to) (local.get $stream_bytes)))
    (local.set $to (i32.add (local.get $to) (local.get $stream_bytes)))
    (local.set $at (i32.add (local.get $at) (i32.mul (global.get $codebooks) (i32.const 13824))))
    (br_if $streams (i32.lt_u (local.tee $stream (i32.add (local.get $stream) (i32.const 1))) (i32.const 3))))
  (i32.add (local.get $frame) (i32.const 160)))

;; Puts a pair where it belongs among those from `first` on, which are in order, likeliest first; `at`: the room for it.
(func $insert (param $at i32) (param $first i32) (param $gaussian i32) (param $score i32) (param $least i32)
  (block $found
    (loop $worse
      (br_if $found (i32.le_u (local.get $at) (local.get $first)))
      (br_if $found (i32.ge_s (i32.load (i32.sub (local.get $at) (i32.const 4))) (local.get $least)))
      (i64.store align=4 (local.get $at) (i64.load align=4 (i32.sub (local.get $at) (i32.const 8))))
      (local.set $at (i32.sub (local.get $at) (i32.const 8)))
      (br $worse)))
  (i32.store (local.get $at) (local.get $gaussian))
  (i32.store offset=4 (local.get $at) (local.get $score)))

;; The last frame's tops, scored again and in order. A pair goes behind those that are as likely.
(func $rank_again (param $scores i32) (param $first i32) (param $end i32)
  (local $at i32) (local $gaussian i32) (local $score i32)
  (local.set $at (local.get $first))
  (loop $each
    (local.set $gaussian (i32.load (local.get $at)))
    (local.set $score (i32.trunc_sat_f32_s
      (f32.load (i32.add (local.get $scores) (i32.shl (local.get $gaussian) (i32.const 2))))))
    (call $insert (local.get $at) (local.get $first) (local.get $gaussian) (local.get $score) (local.get $score))
    (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (local.get $end)))))

;; Puts those of all 128 that are likelier than the last of the tops in its place. One goes before those that are as likely.
(func $rank_all (param $scores i32) (param $first i32) (param $end i32)
  (local $gaussian i32) (local $last i32) (local $top i32) (local $score i32) (local $value f32)
  (local.set $last (i32.sub (local.get $end) (i32.const 8)))
  (loop $fours
    (if (v128.any_true (f32x4.ge
        (v128.load (i32.add (local.get $scores) (i32.shl (local.get $gaussian) (i32.const 2))))
        (f32x4.splat (f32.convert_i32_s (i32.load offset=4 (local.get $last))))))
      (then (loop $each
        (local.set $value (f32.load (i32.add (local.get $scores) (i32.shl (local.get $gaussian) (i32.const 2)))))
        (block $next
          (br_if $next (i32.eqz (f32.ge (local.get $value) (f32.convert_i32_s (i32.load offset=4 (local.get $last))))))
          (local.set $top (local.get $first))
          (loop $tops
            (br_if $next (i32.eq (i32.load (local.get $top)) (local.get $gaussian)))
            (br_if $tops (i32.lt_u (local.tee $top (i32.add (local.get $top) (i32.const 8))) (local.get $end))))
          (local.set $score (i32.trunc_sat_f32_s (local.get $value)))
          (call $insert (local.get $last) (local.get $first) (local.get $gaussian) (local.get $score)
            (i32.add (local.get $score) (i32.const 1))))
        (br_if $each (i32.and (local.tee $gaussian (i32.add (local.get $gaussian) (i32.const 1))) (i32.const 3)))))
      (else (local.set $gaussian (i32.add (local.get $gaussian) (i32.const 4)))))
    (br_if $fours (i32.lt_u (local.get $gaussian) (i32.const 128)))))

(func $is_used (param $bits i32) (param $codebook i32) (result i32)
  (i32.and
    (i32.shr_u
      (i32.load (i32.add (local.get $bits) (i32.shl (i32.shr_u (local.get $codebook) (i32.const 5)) (i32.const 2))))
      (local.get $codebook))
    (i32.const 1)))

;; Tops become distances from the likeliest of all codebooks in use, in the senones' coarser steps, 96 at most.
(func $normalise (param $tops i32) (param $bits i32) (param $stream i32) (param $top_bytes i32)
  (local $codebook i32) (local $at i32) (local $end i32) (local $best i32) (local $distance i32)
  (local.set $best (i32.const -536870912))
  (local.set $tops (i32.add (local.get $tops) (i32.mul (local.get $stream) (local.get $top_bytes))))
  (local.set $at (local.get $tops))
  (loop $all
    (if (call $is_used (local.get $bits) (local.get $codebook))
      (then
        (local.set $distance (i32.shr_s (i32.load offset=4 (local.get $at)) (i32.const 10)))
        (if (i32.gt_s (local.get $distance) (local.get $best)) (then (local.set $best (local.get $distance))))))
    (local.set $at (i32.add (local.get $at) (i32.mul (local.get $top_bytes) (i32.const 3))))
    (br_if $all (i32.lt_u (local.tee $codebook (i32.add (local.get $codebook) (i32.const 1))) (global.get $codebooks))))
  (local.set $codebook (i32.const 0))
  (loop $all
    (if (call $is_used (local.get $bits) (local.get $codebook))
      (then
        (local.set $at (local.get $tops))
        (local.set $end (i32.add (local.get $at) (local.get $top_bytes)))
        (loop $each
          (local.set $distance (i32.sub (local.get $best) (i32.shr_s (i32.load offset=4 (local.get $at)) (i32.const 10))))
          (i32.store offset=4 (local.get $at)
            (select (i32.const 96) (local.get $distance) (i32.ge_s (local.get $distance) (i32.const 96))))
          (br_if $each (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (local.get $end))))))
    (local.set $tops (i32.add (local.get $tops) (i32.mul (local.get $top_bytes) (i32.const 3))))
    (br_if $all (i32.lt_u (local.tee $codebook (i32.add (local.get $codebook) (i32.const 1))) (global.get $codebooks)))))

;; Ranks the Gaussians of a frame that was not scored yet.
(func $rank (param $scorer i32) (param $active i32) (param $active_count i32) (param $features i32) (param $frame i32) (param $all i32)
  (local $entry i32) (local $history i32) (local $tops i32) (local $top_bytes i32) (local $bits i32) (local $bits_bytes i32)
  (local $codebook i32) (local $stream i32) (local $at i32) (local $scores i32) (local $senone i32) (local $is_whole i32)
  (local.set $history (i32.load offset=40 (local.get $scorer)))
  (local.set $entry (i32.load offset=44 (local.get $scorer)))
  (local.set $top_bytes (i32.shl (i32.load16_s offset=36 (local.get $scorer)) (i32.const 3)))
  (local.set $tops (i32.load (i32.load (i32.load (local.get $entry)))))
  (local.set $bits (i32.load offset=4 (local.get $entry)))
  (local.set $at (select
    (i32.add (local.get $history) (i32.shl (i32.load offset=48 (local.get $scorer)) (i32.const 3)))
    (local.get $entry)
    (i32.eq (local.get $entry) (local.get $history))))
  (memory.copy (local.get $tops) (i32.load (i32.load (i32.load (i32.sub (local.get $at) (i32.const 8)))))
    (i32.mul (i32.mul (local.get $top_bytes) (i32.const 3)) (global.get $codebooks)))
  (local.set $bits_bytes (i32.shl (i32.shr_u (i32.add (global.get $codebooks) (i32.const 31)) (i32.const 5)) (i32.const 2)))
  (memory.fill (local.get $bits) (select (i32.const 255) (i32.const 0) (local.get $all)) (local.get $bits_bytes))
  (if (i32.and (i32.eqz (local.get $all)) (i32.gt_s (local.get $active_count) (i32.const 0)))
    (then
      (local.set $active_count (i32.add (local.get $active) (local.get $active_count)))
      (loop $each
        (local.set $senone (i32.add (local.get $senone) (i32.load8_u (local.get $active))))
        (local.set $codebook (i32.load8_u (i32.add (i32.load offset=20 (local.get $scorer)) (local.get $senone))))
        (local.set $at (i32.add (local.get $bits) (i32.shl (i32.shr_u (local.get $codebook) (i32.const 5)) (i32.const 2))))
        (i32.store (local.get $at) (i32.or (i32.load (local.get $at)) (i32.shl (i32.const 1) (local.get $codebook))))
        (br_if $each (i32.lt_u (local.tee $active (i32.add (local.get $active) (i32.const 1))) (local.get $active_count))))))
  (local.set $scores (call $scores (local.get $features)))
  (local.set $is_whole (i32.eqz (i32.rem_s (local.get $frame) (i32.load16_s offset=38 (local.get $scorer)))))
  (loop $streams
    (local.set $at (i32.add (local.get $tops) (i32.mul (local.get $stream) (local.get $top_bytes))))
    (local.set $codebook (i32.const 0))
    (loop $codebooks
      (call $rank_again (local.get $scores) (local.get $at) (i32.add (local.get $at) (local.get $top_bytes)))
      (if (i32.and (local.get $is_whole) (call $is_used (local.get $bits) (local.get $codebook)))
        (then (call $rank_all (local.get $scores) (local.get $at) (i32.add (local.get $at) (local.get $top_bytes)))))
      (local.set $scores (i32.add (local.get $scores) (i32.const 512)))
      (local.set $at (i32.add (local.get $at) (i32.mul (local.get $top_bytes) (i32.const 3))))
      (br_if $codebooks (i32.lt_u (local.tee $codebook (i32.add (local.get $codebook) (i32.const 1))) (global.get $codebooks))))
    (call $normalise (local.get $tops) (local.get $bits) (local.get $stream) (local.get $top_bytes))
    (br_if $streams (i32.lt_u (local.tee $stream (i32.add (local.get $stream) (i32.const 1))) (i32.const 3)))))

;; Weights and scores of a codebook's tops, side by side.
(func $weigh (param $scorer i32) (param $codebook i32)
  (local $entry i32) (local $top i32) (local $end i32) (local $to i32) (local $stream i32) (local $is_used i32) (local $rows i32) (local $tops i32)
  (local.set $entry (i32.load offset=44 (local.get $scorer)))
  (local.set $is_used (call $is_used (i32.load offset=4 (local.get $entry)) (local.get $codebook)))
  (local.set $to (global.get $weighing))
  (local.set $tops (i32.load16_s offset=36 (local.get $scorer)))
  (loop $streams
    (local.set $rows (i32.load (i32.add (i32.load offset=24 (local.get $scorer)) (i32.shl (local.get $stream) (i32.const 2)))))
    (local.set $top (call $part (i32.load (local.get $entry)) (local.get $codebook) (local.get $stream)))
    (local.set $end (i32.add (local.get $top) (i32.shl (local.get $tops) (i32.const 3))))
    (loop $each
      (if (i32.eqz (local.get $is_used)) (then (i32.store offset=4 (local.get $top) (i32.const 96))))
      (i32.store (local.get $to)
        (i32.load (i32.add (local.get $rows) (i32.shl (i32.load (local.get $top)) (i32.const 2)))))
      (i32.store offset=4 (local.get $to) (i32.load offset=4 (local.get $top)))
      (local.set $to (i32.add (local.get $to) (i32.const 8)))
      (br_if $each (i32.lt_u (local.tee $top (i32.add (local.get $top) (i32.const 8))) (local.get $end))))
    (br_if $streams (i32.lt_u (local.tee $stream (i32.add (local.get $stream) (i32.const 1))) (i32.const 3)))))

;; Eight senones' weighed tops of the present codebook. Less is likelier; a sum of two is the lesser less what the table has
;; for their distance, which is nothing from 32 on.
(func $eight (param $senone i32) (param $near v128) (param $far v128) (result v128)
  (local $at i32) (local $stream i32) (local $sum v128) (local $all v128) (local $one v128) (local $less v128)
  (local.set $at (global.get $weighing))
  (local.set $stream (i32.const 3))
  (loop $streams
    (local.set $sum (i16x8.add
      (v128.load8x8_u (i32.add (i32.load (local.get $at)) (local.get $senone)))
      (v128.load16_splat offset=4 (local.get $at))))
    (local.set $one (i16x8.add
      (v128.load8x8_u (i32.add (i32.load offset=8 (local.get $at)) (local.get $senone)))
      (v128.load16_splat offset=12 (local.get $at))))
    (local.set $less (i16x8.min_s (local.get $sum) (local.get $one)))
    (local.set $one (i16x8.min_s (v128.const i16x8 31 31 31 31 31 31 31 31)
      (i16x8.sub (i16x8.max_s (local.get $sum) (local.get $one)) (local.get $less))))
    (local.set $sum (i16x8.sub (local.get $less) (i16x8.add
      (i8x16.swizzle (local.get $near)
        (v128.or (local.get $one) (v128.const i16x8 0x8000 0x8000 0x8000 0x8000 0x8000 0x8000 0x8000 0x8000)))
      (i8x16.swizzle (local.get $far)
        (i16x8.add (local.get $one) (v128.const i16x8 0x7ff0 0x7ff0 0x7ff0 0x7ff0 0x7ff0 0x7ff0 0x7ff0 0x7ff0))))))
    (local.set $one (i16x8.add
      (v128.load8x8_u (i32.add (i32.load offset=16 (local.get $at)) (local.get $senone)))
      (v128.load16_splat offset=20 (local.get $at))))
    (local.set $less (i16x8.min_s (local.get $sum) (local.get $one)))
    (local.set $one (i16x8.min_s (v128.const i16x8 31 31 31 31 31 31 31 31)
      (i16x8.sub (i16x8.max_s (local.get $sum) (local.get $one)) (local.get $less))))
    (local.set $sum (i16x8.sub (local.get $less) (i16x8.add
      (i8x16.swizzle (local.get $near)
        (v128.or (local.get $one) (v128.const i16x8 0x8000 0x8000 0x8000 0x8000 0x8000 0x8000 0x8000 0x8000)))
      (i8x16.swizzle (local.get $far)
        (i16x8.add (local.get $one) (v128.const i16x8 0x7ff0 0x7ff0 0x7ff0 0x7ff0 0x7ff0 0x7ff0 0x7ff0 0x7ff0))))))
    (local.set $one (i16x8.add
      (v128.load8x8_u (i32.add (i32.load offset=24 (local.get $at)) (local.get $senone)))
      (v128.load16_splat offset=28 (local.get $at))))
    (local.set $less (i16x8.min_s (local.get $sum) (local.get $one)))
    (local.set $one (i16x8.min_s (v128.const i16x8 31 31 31 31 31 31 31 31)
      (i16x8.sub (i16x8.max_s (local.get $sum) (local.get $one)) (local.get $less))))
    (local.set $sum (i16x8.sub (local.get $less) (i16x8.add
      (i8x16.swizzle (local.get $near)
        (v128.or (local.get $one) (v128.const i16x8 0x8000 0x8000 0x8000 0x8000 0x8000 0x8000 0x8000 0x8000)))
      (i8x16.swizzle (local.get $far)
        (i16x8.add (local.get $one) (v128.const i16x8 0x7ff0 0x7ff0 0x7ff0 0x7ff0 0x7ff0 0x7ff0 0x7ff0 0x7ff0))))))
    (local.set $all (i16x8.add (local.get $all) (local.get $sum)))
    (local.set $at (i32.add (local.get $at) (i32.const 32)))
    (br_if $streams (local.tee $stream (i32.sub (local.get $stream) (i32.const 1)))))
  (local.get $all))

;; In place of the module's own. Scores are distances from the likeliest senone of those that are asked for.
(func $score_frame (param $scorer i32) (param $out i32) (param $active i32) (param $active_count i32) (param $features i32) (param $frame i32) (param $all i32) (result i32)
  (local $senone i32) (local $end i32) (local $codebook i32) (local $weighed i32) (local $block i32) (local $best i32) (local $score i32)
  (local $codebooks i32) (local $count i32) (local $near v128) (local $far v128) (local $least v128)
  (if (i32.eqz (global.get $gaussians)) (then (call $check (local.get $scorer)) (call $lay_out (local.get $scorer))))
  (i32.store offset=44 (local.get $scorer) (i32.add
    (i32.load offset=40 (local.get $scorer))
    (i32.shl (i32.rem_s (local.get $frame) (i32.load offset=48 (local.get $scorer))) (i32.const 3))))
  (if (i32.le_s (i32.load offset=4 (local.get $scorer)) (local.get $frame))
    (then (call $rank (local.get $scorer) (local.get $active) (local.get $active_count) (local.get $features) (local.get $frame) (local.get $all))))
  (local.set $codebooks (i32.load offset=20 (local.get $scorer)))
  (local.set $count (i32.load offset=16 (local.get $scorer)))
  (local.set $weighed (i32.load (i32.load offset=52 (local.get $scorer))))
  (local.set $near (v128.load (local.get $weighed)))
  (local.set $far (v128.load offset=16 (local.get $weighed)))
  (memory.fill (local.get $out) (i32.const 0) (i32.shl (local.get $count) (i32.const 1)))
  (local.set $weighed (i32.const -1))
  (local.set $block (i32.const -1))
  (local.set $best (i32.const 0x7fffffff))
  (local.set $senone (i32.const -1))
  (if (local.get $all)
    (then (local.set $active_count (local.get $count)))
    (else (local.set $senone (i32.const 0))))
  (block $done
    (loop $each
      (br_if $done (i32.le_s (local.get $active_count) (i32.const 0)))
      (local.set $active_count (i32.sub (local.get $active_count) (i32.const 1)))
      (if (local.get $all)
        (then (local.set $senone (i32.add (local.get $senone) (i32.const 1))))
        (else
          (local.set $senone (i32.add (local.get $senone) (i32.load8_u (local.get $active))))
          (local.set $active (i32.add (local.get $active) (i32.const 1)))))
      (local.set $codebook (i32.load8_u (i32.add (local.get $codebooks) (local.get $senone))))
      (if (i32.or
          (i32.ne (local.get $codebook) (local.get $weighed))
          (i32.ne (i32.shr_u (local.get $senone) (i32.const 3)) (local.get $block)))
        (then
          (if (i32.ne (local.get $codebook) (local.get $weighed))
            (then
              (call $weigh (local.get $scorer) (local.get $codebook))
              (local.set $weighed (local.get $codebook))))
          (local.set $block (i32.shr_u (local.get $senone) (i32.const 3)))
          (v128.store (i32.add (global.get $senones) (i32.shl (local.get $block) (i32.const 4)))
            (call $eight (i32.shl (local.get $block) (i32.const 3)) (local.get $near) (local.get $far)))))
      (local.set $score (i32.load16_s (i32.add (global.get $senones) (i32.shl (local.get $senone) (i32.const 1)))))
      (i32.store16 (i32.add (local.get $out) (i32.shl (local.get $senone) (i32.const 1))) (local.get $score))
      (if (i32.lt_s (local.get $score) (local.get $best)) (then (local.set $best (local.get $score))))
      (br $each)))
  (local.set $least (i16x8.splat (local.get $best)))
  (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 1))))
  (block $rest
    (loop $eights
      (br_if $rest (i32.gt_u (i32.add (local.get $out) (i32.const 16)) (local.get $end)))
      (v128.store (local.get $out) (i16x8.sub (v128.load (local.get $out)) (local.get $least)))
      (local.set $out (i32.add (local.get $out) (i32.const 16)))
      (br $eights)))
  (block $none
    (loop $ones
      (br_if $none (i32.ge_u (local.get $out) (local.get $end)))
      (i32.store16 (local.get $out) (i32.sub (i32.load16_s (local.get $out)) (local.get $best)))
      (local.set $out (i32.add (local.get $out) (i32.const 2)))
      (br $ones)))
  (i32.const 0))
