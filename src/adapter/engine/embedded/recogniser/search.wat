;; The recogniser's step from frame to frame, written anew: scripts/recogniser-kernel.ts puts it into the published module in
;; place of its own. It compares and adds the same numbers in the same order, so that results are the same, bit for bit
;; (test/adapter/engine/embedded/recogniser/kernel.test.ts), but looks at less memory: who is active stands in arrays
;; instead of lists, and of a graph's state it knows the nodes that a word may go on in, by the word's last phone.
;;
;; Structures of the module, by offset:
;;   search:   12 configuration  16 acoustic model  20 dictionary  60 HMM context  64 graph  68 tree  72 history
;;             84, 88, 92 beams as configured  96 their factor  100, 104, 108 beams: of states, of phones, of words
;;             124 frame  136 best score  140 first entry of the history in this frame  152 HMMs evaluated  156 senones scored
;;   tree:     0 graph  16 model's definition (4: number of phones)  28 first node of each state of the graph  36 number of nodes
;;   node:     0 first of the next nodes; of a leaf, the arc  8 next of the same kind  12 log probability  16 phones it may follow
;;             (of a leaf: may precede), 128 bits  32 its phone (16 bits)  35 whether it is a leaf
;;             its HMM:  44 scores of its states  64 their entries of the history  84 score and 88 entry of its end
;;             94 senones (16 bits)  104 best score  108 transitions (16 bits)  112 frame that it is active in
;;   entry:    0 arc  4 score  8 entry before  12 frame  16 last phone (16 bits)  20 phones that may follow, 128 bits
;;   arc:      4 state it leads to  8 log probability  12 word, −1: none
;;   history:  0 graph  4 entries  8 new entries' lists [state][phone]  12 number of phones
;;
;; Ours, one for each tree, in a chain from $first_search:
;;   0 next one  4 tree  8 active nodes in this frame and 12 their number  16, 20 in the next one
;;   24 where the roots for [state][last phone] begin, each 12 bytes: log probability, node, its phone
;;   28 where the arcs without a word of [state] begin  32 number of phones
(global $first_search (mut i32) (i32.const 0))
;; Phones that may follow, for a new entry of the history, which writes into it.
(global $following (mut i32) (i32.const 0))

(func $room (param $bytes i32) (result i32)
  (local $at i32)
  (if (i32.eqz (local.tee $at (call $malloc (local.get $bytes)))) (then (unreachable)))
  (local.get $at))

(func $known (param $tree i32) (result i32)
  (local $at i32)
  (local.set $at (global.get $first_search))
  (block $found
    (loop $each
      (br_if $found (i32.eqz (local.get $at)))
      (br_if $found (i32.eq (i32.load offset=4 (local.get $at)) (local.get $tree)))
      (local.set $at (i32.load (local.get $at)))
      (br $each)))
  (local.get $at))

(func $ours (param $search i32) (result i32)
  (local $at i32)
  (if (i32.eqz (local.tee $at (call $known (i32.load offset=68 (local.get $search)))))
    (then (local.set $at (call $index (local.get $search)))))
  (local.get $at))

(func $index (param $search i32) (result i32)
  (local $at i32) (local $tree i32) (local $states i32) (local $bytes i32)
  ;; Another model: HMMs of other than three states.
  (if (i32.ne (i32.load (i32.load offset=60 (local.get $search))) (i32.const 3)) (then (unreachable)))
  (if (i32.eqz (global.get $following)) (then (global.set $following (call $room (i32.const 16)))))
  (local.set $at (call $room (i32.const 36)))
  (local.set $tree (i32.load offset=68 (local.get $search)))
  (i32.store (local.get $at) (global.get $first_search))
  (global.set $first_search (local.get $at))
  (i32.store offset=4 (local.get $at) (local.get $tree))
  (local.set $bytes (i32.shl (i32.load offset=36 (local.get $tree)) (i32.const 2)))
  (i32.store offset=8 (local.get $at) (call $room (local.get $bytes)))
  (i32.store offset=12 (local.get $at) (i32.const 0))
  (i32.store offset=16 (local.get $at) (call $room (local.get $bytes)))
  (i32.store offset=20 (local.get $at) (i32.const 0))
  (local.set $states (i32.load offset=32 (i32.load (local.get $tree))))
  (i32.store offset=32 (local.get $at) (i32.load offset=4 (i32.load offset=16 (local.get $tree))))
  (call $index_roots (local.get $at) (local.get $tree) (local.get $states))
  (call $index_arcs (local.get $at) (i32.load (local.get $tree)) (local.get $states))
  (local.get $at))

(func $may_follow (param $phones i32) (param $phone i32) (result i32)
  (i32.and
    (i32.shr_u
      (i32.load (i32.add (local.get $phones) (i32.shl (i32.shr_u (local.get $phone) (i32.const 5)) (i32.const 2))))
      (local.get $phone))
    (i32.const 1)))

;; In the order of the module's lists. The places come first, then the roots.
(func $index_roots (param $at i32) (param $tree i32) (param $states i32)
  (local $state i32) (local $phone i32) (local $node i32) (local $phones i32) (local $bytes i32) (local $place i32) (local $to i32)
  (local.set $phones (i32.load offset=32 (local.get $at)))
  (loop $all
    (local.set $node (i32.add (i32.load offset=28 (local.get $tree)) (i32.shl (local.get $state) (i32.const 2))))
    (local.set $node (i32.load (local.get $node)))
    (block $no_more
      (loop $nodes
        (br_if $no_more (i32.eqz (local.get $node)))
        (local.set $bytes (i32.add (local.get $bytes) (i32.wrap_i64 (i64.add
          (i64.popcnt (i64.load offset=16 align=4 (local.get $node)))
          (i64.popcnt (i64.load offset=24 align=4 (local.get $node)))))))
        (local.set $node (i32.load offset=8 (local.get $node)))
        (br $nodes)))
    (br_if $all (i32.lt_s (local.tee $state (i32.add (local.get $state) (i32.const 1))) (local.get $states))))
  (local.set $to (i32.shl (i32.add (i32.mul (local.get $states) (local.get $phones)) (i32.const 1)) (i32.const 2)))
  (local.set $place (call $room (i32.add (local.get $to) (i32.mul (local.get $bytes) (i32.const 12)))))
  (i32.store offset=24 (local.get $at) (local.get $place))
  (local.set $to (i32.add (local.get $place) (local.get $to)))
  (local.set $state (i32.const 0))
  (loop $all
    (local.set $phone (i32.const 0))
    (loop $each
      (i32.store (local.get $place) (local.get $to))
      (local.set $place (i32.add (local.get $place) (i32.const 4)))
      (local.set $node (i32.add (i32.load offset=28 (local.get $tree)) (i32.shl (local.get $state) (i32.const 2))))
      (local.set $node (i32.load (local.get $node)))
      (block $no_more
        (loop $nodes
          (br_if $no_more (i32.eqz (local.get $node)))
          (if (call $may_follow (i32.add (local.get $node) (i32.const 16)) (local.get $phone))
            (then
              (i32.store (local.get $to) (i32.load offset=12 (local.get $node)))
              (i32.store offset=4 (local.get $to) (local.get $node))
              (i32.store offset=8 (local.get $to) (i32.load16_u offset=32 (local.get $node)))
              (local.set $to (i32.add (local.get $to) (i32.const 12)))))
          (local.set $node (i32.load offset=8 (local.get $node)))
          (br $nodes)))
      (br_if $each (i32.lt_s (local.tee $phone (i32.add (local.get $phone) (i32.const 1))) (local.get $phones))))
    (br_if $all (i32.lt_s (local.tee $state (i32.add (local.get $state) (i32.const 1))) (local.get $states))))
  (i32.store (local.get $place) (local.get $to)))

;; In the order of the module's iterator, which goes through all arcs of a state. The places come first, then the arcs.
(func $index_arcs (param $at i32) (param $graph i32) (param $states i32)
  (local $state i32) (local $arcs i32) (local $arc i32) (local $place i32) (local $to i32) (local $pass i32)
  (loop $passes
    (local.set $state (i32.const 0))
    (loop $all
      (if (local.get $pass) (then
        (i32.store (local.get $place) (local.get $to))
        (local.set $place (i32.add (local.get $place) (i32.const 4)))))
      (local.set $arcs (call $arcs (local.get $graph) (local.get $state)))
      (block $no_more
        (loop $each
          (br_if $no_more (i32.eqz (local.get $arcs)))
          (local.set $arc (call $arc (local.get $arcs)))
          (if (i32.eq (i32.load offset=12 (local.get $arc)) (i32.const -1)) (then
            (if (local.get $pass) (then (i32.store (local.get $to) (local.get $arc))))
            (local.set $to (i32.add (local.get $to) (i32.const 4)))))
          (local.set $arcs (call $next_arc (local.get $arcs)))
          (br $each)))
      (br_if $all (i32.lt_s (local.tee $state (i32.add (local.get $state) (i32.const 1))) (local.get $states))))
    (if (i32.eqz (local.get $pass)) (then
      (local.set $state (i32.shl (i32.add (local.get $states) (i32.const 1)) (i32.const 2)))
      (local.set $place (call $room (i32.add (local.get $to) (local.get $state))))
      (i32.store offset=28 (local.get $at) (local.get $place))
      (local.set $to (i32.add (local.get $place) (local.get $state)))
      (local.set $pass (i32.const 1))
      (br $passes))))
  (i32.store (local.get $place) (local.get $to)))

;; Before the module frees a tree.
(func $forget (param $tree i32)
  (local $at i32) (local $before i32)
  (if (i32.eqz (local.tee $at (call $known (local.get $tree)))) (then (return)))
  (if (i32.eq (local.get $at) (global.get $first_search))
    (then (global.set $first_search (i32.load (local.get $at))))
    (else
      (local.set $before (global.get $first_search))
      (block $found
        (loop $each
          (br_if $found (i32.eq (i32.load (local.get $before)) (local.get $at)))
          (local.set $before (i32.load (local.get $before)))
          (br $each)))
      (i32.store (local.get $before) (i32.load (local.get $at)))))
  (call $free (i32.load offset=8 (local.get $at)))
  (call $free (i32.load offset=16 (local.get $at)))
  (call $free (i32.load offset=24 (local.get $at)))
  (call $free (i32.load offset=28 (local.get $at)))
  (call $free (local.get $at)))

;; Before the module ends an utterance: nothing is active any more.
(func $finish (param $search i32)
  (local $ours i32) (local $at i32) (local $end i32)
  (if (i32.eqz (local.tee $ours (call $known (i32.load offset=68 (local.get $search))))) (then (return)))
  (local.set $at (i32.load offset=16 (local.get $ours)))
  (local.set $end (i32.add (local.get $at) (i32.shl (i32.load offset=20 (local.get $ours)) (i32.const 2))))
  (block $done
    (loop $each
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (call $clear (i32.add (i32.load (local.get $at)) (i32.const 40)))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br $each)))
  (i32.store offset=20 (local.get $ours) (i32.const 0)))

;; Active in the next frame, too. Each node once: there is room for all of them.
(func $activate (param $ours i32) (param $node i32)
  (local $count i32)
  (local.set $count (i32.load offset=20 (local.get $ours)))
  (i32.store
    (i32.add (i32.load offset=16 (local.get $ours)) (i32.shl (local.get $count) (i32.const 2)))
    (local.get $node))
  (i32.store offset=20 (local.get $ours) (i32.add (local.get $count) (i32.const 1))))

(func $enter (param $ours i32) (param $node i32) (param $score i32) (param $entry i32) (param $frame i32)
  (if (i32.ge_s (local.get $frame) (i32.load offset=112 (local.get $node)))
    (then (call $activate (local.get $ours) (local.get $node))))
  (i32.store offset=112 (local.get $node) (i32.add (local.get $frame) (i32.const 1)))
  (i32.store offset=64 (local.get $node) (local.get $entry))
  (i32.store offset=44 (local.get $node) (local.get $score)))

;; Which senones are to be scored.
(func $flag (param $ours i32) (param $acoustics i32)
  (local $at i32) (local $first i32) (local $node i32) (local $bits i32) (local $to i32) (local $senone i32)
  (local.set $bits (i32.load offset=40 (local.get $acoustics)))
  (memory.fill (local.get $bits) (i32.const 0)
    (i32.shl
      (i32.shr_u (i32.add (i32.load offset=20 (i32.load offset=20 (local.get $acoustics))) (i32.const 31)) (i32.const 5))
      (i32.const 2)))
  (i32.store offset=52 (local.get $acoustics) (i32.const 0))
  (local.set $at (i32.load offset=8 (local.get $ours)))
  (local.set $first (i32.add (local.get $at) (i32.shl (i32.load offset=12 (local.get $ours)) (i32.const 2))))
  (block $done
    (loop $each
      (br_if $done (i32.ge_u (local.get $at) (local.get $first)))
      (local.set $node (i32.load (local.get $at)))
      (local.set $senone (i32.load16_u offset=94 (local.get $node)))
      (local.set $to (i32.add (local.get $bits) (i32.shl (i32.shr_u (local.get $senone) (i32.const 5)) (i32.const 2))))
      (i32.store (local.get $to) (i32.or (i32.load (local.get $to)) (i32.shl (i32.const 1) (local.get $senone))))
      (local.set $senone (i32.load16_u offset=96 (local.get $node)))
      (local.set $to (i32.add (local.get $bits) (i32.shl (i32.shr_u (local.get $senone) (i32.const 5)) (i32.const 2))))
      (i32.store (local.get $to) (i32.or (i32.load (local.get $to)) (i32.shl (i32.const 1) (local.get $senone))))
      (local.set $senone (i32.load16_u offset=98 (local.get $node)))
      (local.set $to (i32.add (local.get $bits) (i32.shl (i32.shr_u (local.get $senone) (i32.const 5)) (i32.const 2))))
      (i32.store (local.get $to) (i32.or (i32.load (local.get $to)) (i32.shl (i32.const 1) (local.get $senone))))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br $each))))

(func $senone_score (param $senones i32) (param $node i32) (result i32)
  (i32.load16_s (i32.add (local.get $senones) (i32.shl (i32.load16_u offset=94 (local.get $node)) (i32.const 1)))))

(func $not_below (param $score i32) (result i32)
  (select (i32.const -536870912) (local.get $score) (i32.le_s (local.get $score) (i32.const -536870912))))

(func $better (param $one i32) (param $other i32) (result i32)
  (select (local.get $one) (local.get $other) (i32.gt_s (local.get $one) (local.get $other))))

;; One step of an HMM of three states, of which one may be left out. The likeliest of its scores.
(func $evaluate (param $node i32) (param $senones i32) (param $all_transitions i32) (result i32)
  (local $costs i32) (local $first i32) (local $second i32) (local $third i32) (local $end i32) (local $skip i32)
  (local $stay i32) (local $next i32) (local $cost i32)
  (local.set $costs (i32.load (i32.load (i32.add (local.get $all_transitions)
    (i32.shl (i32.load16_s offset=108 (local.get $node)) (i32.const 2))))))
  (local.set $first (i32.sub (i32.load offset=44 (local.get $node)) (call $senone_score (local.get $senones) (local.get $node))))
  (local.set $second (i32.sub (i32.load offset=48 (local.get $node))
    (call $senone_score (local.get $senones) (i32.add (local.get $node) (i32.const 2)))))
  (local.set $third (i32.sub (i32.load offset=52 (local.get $node))
    (call $senone_score (local.get $senones) (i32.add (local.get $node) (i32.const 4)))))
  (local.set $end (i32.const -536870912))
  (local.set $skip (i32.const 0x80000000))
  (if (i32.ge_s (local.get $second) (i32.const -536870911))
    (then
      (local.set $cost (i32.load8_u offset=7 (local.get $costs)))
      (local.set $skip (select (i32.const 0x80000000) (i32.sub (local.get $second) (local.get $cost))
        (i32.eq (local.get $cost) (i32.const 255))))
      (local.set $stay (i32.sub (local.get $third) (i32.load8_u offset=11 (local.get $costs))))
      (local.set $end (call $not_below (call $better (local.get $stay) (local.get $skip))))
      (i32.store offset=84 (local.get $node) (local.get $end))
      (i32.store offset=88 (local.get $node) (select (i32.load offset=72 (local.get $node)) (i32.load offset=68 (local.get $node))
        (i32.gt_s (local.get $stay) (local.get $skip))))))
  (local.set $cost (i32.load8_u offset=2 (local.get $costs)))
  ;; Where the transition is not there, the published module takes what it had computed last.
  (local.set $skip (select (local.get $skip) (i32.sub (local.get $first) (local.get $cost))
    (i32.eq (local.get $cost) (i32.const 255))))
  (local.set $stay (i32.sub (local.get $third) (i32.load8_u offset=10 (local.get $costs))))
  (local.set $next (i32.sub (local.get $second) (i32.load8_u offset=6 (local.get $costs))))
  (if (i32.gt_s (local.get $stay) (local.get $next))
    (then (if (i32.gt_s (local.get $skip) (local.get $stay))
      (then
        (i32.store offset=72 (local.get $node) (i32.load offset=64 (local.get $node)))
        (local.set $stay (local.get $skip)))))
    (else
      (i32.store offset=72 (local.get $node)
        (select (i32.load offset=64 (local.get $node)) (i32.load offset=68 (local.get $node))
          (i32.gt_s (local.get $skip) (local.get $next))))
      (local.set $stay (call $better (local.get $skip) (local.get $next)))))
  (local.set $third (call $not_below (local.get $stay)))
  (i32.store offset=52 (local.get $node) (local.get $third))
  (local.set $stay (i32.sub (local.get $second) (i32.load8_u offset=5 (local.get $costs))))
  (local.set $next (i32.sub (local.get $first) (i32.load8_u offset=1 (local.get $costs))))
  (if (i32.le_s (local.get $stay) (local.get $next))
    (then
      (i32.store offset=68 (local.get $node) (i32.load offset=64 (local.get $node)))
      (local.set $stay (local.get $next))))
  (local.set $second (call $not_below (local.get $stay)))
  (i32.store offset=48 (local.get $node) (local.get $second))
  (local.set $first (call $not_below (i32.sub (local.get $first) (i32.load8_u (local.get $costs)))))
  (i32.store offset=44 (local.get $node) (local.get $first))
  (local.set $first (call $better
    (call $better (local.get $first) (local.get $second))
    (call $better (local.get $third) (local.get $end))))
  (i32.store offset=104 (local.get $node) (local.get $first))
  (local.get $first))

;; All active HMMs, the newest first. The likeliest score.
(func $evaluate_all (param $ours i32) (param $search i32) (param $senones i32) (result i32)
  (local $at i32) (local $first i32) (local $best i32) (local $transitions i32)
  (local.set $best (i32.const -536870912))
  (local.set $transitions (i32.load offset=4 (i32.load offset=60 (local.get $search))))
  (local.set $first (i32.load offset=8 (local.get $ours)))
  (local.set $at (i32.add (local.get $first) (i32.shl (i32.load offset=12 (local.get $ours)) (i32.const 2))))
  (block $done
    (loop $each
      (br_if $done (i32.le_u (local.get $at) (local.get $first)))
      (local.set $at (i32.sub (local.get $at) (i32.const 4)))
      (local.set $best (call $better
        (call $evaluate (i32.load (local.get $at)) (local.get $senones) (local.get $transitions))
        (local.get $best)))
      (br $each)))
  (local.get $best))

(func $narrowed (param $factor f32) (param $beam i32) (result i32)
  (i32.trunc_sat_f32_s (f32.mul (local.get $factor) (f32.convert_i32_s (local.get $beam)))))

;; Narrower beams while more than `maxhmmpf` HMMs are active.
(func $set_beams (param $search i32) (param $count i32)
  (local $most i32) (local $factor f32)
  (local.set $most (call $configured (i32.load offset=12 (local.get $search)) (i32.const 3318)))
  (if (i32.or (i32.eq (local.get $most) (i32.const -1)) (i32.ge_s (local.get $most) (local.get $count)))
    (then
      (f32.store offset=96 (local.get $search) (f32.const 1))
      (i64.store offset=100 align=4 (local.get $search) (i64.load offset=84 align=4 (local.get $search)))
      (i32.store offset=108 (local.get $search) (i32.load offset=92 (local.get $search)))
      (return)))
  (local.set $factor (f32.load offset=96 (local.get $search)))
  (if (i32.eqz (f64.gt (f64.promote_f32 (local.get $factor)) (f64.const 0.1))) (then (return)))
  (local.set $factor (f32.mul (local.get $factor) (f32.const 0x1.ccccccp-1)))
  (f32.store offset=96 (local.get $search) (local.get $factor))
  (i32.store offset=100 (local.get $search) (call $narrowed (local.get $factor) (i32.load offset=84 (local.get $search))))
  (i32.store offset=104 (local.get $search) (call $narrowed (local.get $factor) (i32.load offset=88 (local.get $search))))
  (i32.store offset=108 (local.get $search) (call $narrowed (local.get $factor) (i32.load offset=92 (local.get $search)))))

;; A word's end: an entry of the history. Fillers and words of one phone may be followed by any phone.
(func $leave (param $search i32) (param $node i32)
  (local $arc i32) (local $word i32) (local $graph i32) (local $fillers i32) (local $dictionary i32)
  (local.set $arc (i32.load (local.get $node)))
  (local.set $word (i32.load offset=12 (local.get $arc)))
  (local.set $graph (i32.load offset=64 (local.get $search)))
  (i64.store align=4 (global.get $following) (i64.const -1))
  (i64.store offset=8 align=4 (global.get $following) (i64.const -1))
  (local.set $fillers (i32.load offset=20 (local.get $graph)))
  (block $any
    (if (local.get $fillers) (then
      (br_if $any (call $may_follow (local.get $fillers) (local.get $word)))))
    (local.set $dictionary (i32.load offset=20 (local.get $search)))
    (local.set $word (call $word_number (local.get $dictionary)
      (i32.load (i32.add (i32.load offset=16 (local.get $graph)) (i32.shl (local.get $word) (i32.const 2))))))
    (br_if $any (i32.eq (i32.const 1) (i32.load offset=8
      (i32.add (i32.load offset=8 (local.get $dictionary)) (i32.mul (local.get $word) (i32.const 20))))))
    (i64.store align=4 (global.get $following) (i64.load offset=16 align=4 (local.get $node)))
    (i64.store offset=8 align=4 (global.get $following) (i64.load offset=24 align=4 (local.get $node))))
  (call $add_entry (i32.load offset=72 (local.get $search)) (local.get $arc) (i32.load offset=124 (local.get $search))
    (i32.load offset=84 (local.get $node)) (i32.load offset=88 (local.get $node)) (i32.load16_u offset=32 (local.get $node))
    (global.get $following)))

;; What stays active, what is entered from there, and the words that end. What is not likely enough is moved to the front of
;; the active: where it ends.
(func $prune (param $ours i32) (param $search i32) (param $best i32) (result i32)
  (local $at i32) (local $first i32) (local $pruned i32) (local $node i32) (local $next i32) (local $frame i32) (local $score i32)
  (local $states i32) (local $phones i32) (local $words i32) (local $enough i32) (local $entry i32)
  (local.set $states (i32.add (i32.load offset=100 (local.get $search)) (local.get $best)))
  (local.set $phones (i32.add (i32.load offset=104 (local.get $search)) (local.get $best)))
  (local.set $words (i32.add (i32.load offset=108 (local.get $search)) (local.get $best)))
  (local.set $enough (i32.add (i32.load offset=100 (local.get $search)) (i32.load offset=136 (local.get $search))))
  (local.set $frame (i32.load offset=124 (local.get $search)))
  (local.set $first (i32.load offset=8 (local.get $ours)))
  (local.set $at (i32.add (local.get $first) (i32.shl (i32.load offset=12 (local.get $ours)) (i32.const 2))))
  (local.set $pruned (local.get $at))
  (block $done
    (loop $each
      (br_if $done (i32.le_u (local.get $at) (local.get $first)))
      (local.set $at (i32.sub (local.get $at) (i32.const 4)))
      (local.set $node (i32.load (local.get $at)))
      (if (i32.lt_s (i32.load offset=104 (local.get $node)) (local.get $states))
        (then
          (local.set $pruned (i32.sub (local.get $pruned) (i32.const 4)))
          (i32.store (local.get $pruned) (local.get $node))
          (br $each)))
      (if (i32.eq (i32.load offset=112 (local.get $node)) (local.get $frame))
        (then
          (i32.store offset=112 (local.get $node) (i32.add (local.get $frame) (i32.const 1)))
          (call $activate (local.get $ours) (local.get $node))))
      (local.set $score (i32.load offset=84 (local.get $node)))
      (if (i32.load8_u offset=35 (local.get $node))
        (then
          (if (i32.ge_s (local.get $score) (local.get $words)) (then (call $leave (local.get $search) (local.get $node))))
          (br $each)))
      (br_if $each (i32.lt_s (local.get $score) (local.get $phones)))
      (local.set $entry (i32.load offset=88 (local.get $node)))
      (local.set $next (i32.load (local.get $node)))
      (block $no_more
        (loop $successors
          (br_if $no_more (i32.eqz (local.get $next)))
          (call $try (local.get $ours) (local.get $next)
            (i32.add (i32.load offset=12 (local.get $next)) (local.get $score)) (local.get $enough) (local.get $entry)
            (local.get $frame))
          (local.set $next (i32.load offset=8 (local.get $next)))
          (br $successors)))
      (br $each)))
  (local.get $pruned))

(func $try (param $ours i32) (param $node i32) (param $score i32) (param $enough i32) (param $entry i32) (param $frame i32)
  (if (i32.le_s (local.get $score) (local.get $enough)) (then (return)))
  (if (i32.le_s (local.get $score) (i32.load offset=44 (local.get $node))) (then (return)))
  (call $enter (local.get $ours) (local.get $node) (local.get $score) (local.get $entry) (local.get $frame)))

;; In place of the module's own.
(func $step (param $search i32) (param $frame i32) (result i32)
  (local $ours i32) (local $acoustics i32) (local $senones i32) (local $count i32) (local $best i32) (local $at i32) (local $end i32)
  (local $node i32)
  (local.set $ours (call $ours (local.get $search)))
  (local.set $at (i32.load offset=8 (local.get $ours)))
  (local.set $count (i32.load offset=20 (local.get $ours)))
  (i32.store offset=8 (local.get $ours) (i32.load offset=16 (local.get $ours)))
  (i32.store offset=12 (local.get $ours) (local.get $count))
  (i32.store offset=16 (local.get $ours) (local.get $at))
  (i32.store offset=20 (local.get $ours) (i32.const 0))
  (local.set $acoustics (i32.load offset=16 (local.get $search)))
  (if (i32.eqz (i32.load8_u offset=73 (local.get $acoustics)))
    (then (call $flag (local.get $ours) (local.get $acoustics))))
  (i32.store (global.get $following) (local.get $frame))
  (local.set $senones (call $score (local.get $acoustics) (global.get $following)))
  (i32.store offset=156 (local.get $search)
    (i32.add (i32.load offset=156 (local.get $search)) (i32.load offset=52 (local.get $acoustics))))
  (i32.store offset=8 (i32.load offset=60 (local.get $search)) (local.get $senones))
  (i32.store offset=140 (local.get $search) (i32.load offset=12 (i32.load offset=4 (i32.load offset=72 (local.get $search)))))
  (local.set $best (i32.load offset=136 (local.get $search)))
  (if (local.get $count)
    (then
      (local.set $best (call $evaluate_all (local.get $ours) (local.get $search) (local.get $senones)))
      (i32.store offset=152 (local.get $search) (i32.add (i32.load offset=152 (local.get $search)) (local.get $count)))
      (call $set_beams (local.get $search) (local.get $count))
      (i32.store offset=136 (local.get $search) (local.get $best))))
  (local.set $at (call $prune (local.get $ours) (local.get $search) (local.get $best)))
  (call $flush (i32.load offset=72 (local.get $search)))
  (call $follow_arcs (local.get $search))
  (call $flush (i32.load offset=72 (local.get $search)))
  (call $follow_words (local.get $search))
  (local.set $frame (i32.load offset=124 (local.get $search)))
  (local.set $end (i32.add (i32.load offset=8 (local.get $ours)) (i32.shl (local.get $count) (i32.const 2))))
  (block $done
    (loop $each
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (local.set $node (i32.load (local.get $at)))
      (if (i32.eq (i32.load offset=112 (local.get $node)) (local.get $frame))
        (then (call $clear (i32.add (local.get $node) (i32.const 40)))))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br $each)))
  (i32.store offset=124 (local.get $search) (i32.add (local.get $frame) (i32.const 1)))
  (i32.const 1))

(func $entry (param $history i32) (param $number i32) (result i32)
  (local $entries i32) (local $block i32)
  (local.set $entries (i32.load offset=4 (local.get $history)))
  (local.set $block (i32.load offset=8 (local.get $entries)))
  (i32.load (i32.add
    (i32.load (i32.add (i32.load (local.get $entries)) (i32.shl (i32.div_u (local.get $number) (local.get $block)) (i32.const 2))))
    (i32.shl (i32.rem_u (local.get $number) (local.get $block)) (i32.const 2)))))

(func $state_behind (param $search i32) (param $entry i32) (result i32)
  (local $arc i32)
  (if (local.tee $arc (i32.load (local.get $entry))) (then (return (i32.load offset=4 (local.get $arc)))))
  (i32.load offset=36 (i32.load offset=64 (local.get $search))))

(func $entries (param $search i32) (result i32)
  (i32.load offset=12 (i32.load offset=4 (i32.load offset=72 (local.get $search)))))

;; In place of the module's own: this frame's entries go on over arcs without a word.
(func $follow_arcs (param $search i32)
  (local $ours i32) (local $number i32) (local $end i32) (local $entry i32) (local $at i32) (local $last i32) (local $arc i32)
  (local $score i32) (local $enough i32) (local $history i32)
  (local.set $ours (call $ours (local.get $search)))
  (local.set $history (i32.load offset=72 (local.get $search)))
  (local.set $enough (i32.add (i32.load offset=136 (local.get $search)) (i32.load offset=108 (local.get $search))))
  (local.set $number (i32.load offset=140 (local.get $search)))
  (local.set $end (call $entries (local.get $search)))
  (block $done
    (loop $each
      (br_if $done (i32.ge_s (local.get $number) (local.get $end)))
      (local.set $entry (call $entry (local.get $history) (local.get $number)))
      (local.set $at (i32.add (i32.load offset=28 (local.get $ours))
        (i32.shl (call $state_behind (local.get $search) (local.get $entry)) (i32.const 2))))
      (local.set $last (i32.load offset=4 (local.get $at)))
      (local.set $at (i32.load (local.get $at)))
      (block $no_more
        (loop $arcs
          (br_if $no_more (i32.ge_u (local.get $at) (local.get $last)))
          (local.set $arc (i32.load (local.get $at)))
          (local.set $at (i32.add (local.get $at) (i32.const 4)))
          (local.set $score (i32.add (i32.load offset=4 (local.get $entry))
            (i32.shr_s (i32.load offset=8 (local.get $arc)) (i32.const 10))))
          (br_if $arcs (i32.lt_s (local.get $score) (local.get $enough)))
          (i64.store align=4 (global.get $following) (i64.load offset=20 align=4 (local.get $entry)))
          (i64.store offset=8 align=4 (global.get $following) (i64.load offset=28 align=4 (local.get $entry)))
          (call $add_entry (local.get $history) (local.get $arc) (i32.load offset=12 (local.get $entry)) (local.get $score)
            (local.get $number) (i32.load16_s offset=16 (local.get $entry)) (global.get $following))
          (br $arcs)))
      (local.set $number (i32.add (local.get $number) (i32.const 1)))
      (br $each))))

;; In place of the module's own: this frame's entries go on in the words that may follow.
(func $follow_words (param $search i32)
  (local $ours i32) (local $number i32) (local $end i32) (local $entry i32) (local $at i32) (local $last i32)
  (local $score i32) (local $enough i32) (local $frame i32)
  (local.set $ours (call $ours (local.get $search)))
  (local.set $enough (i32.add (i32.load offset=136 (local.get $search)) (i32.load offset=100 (local.get $search))))
  (local.set $frame (i32.load offset=124 (local.get $search)))
  (local.set $number (i32.load offset=140 (local.get $search)))
  (local.set $end (call $entries (local.get $search)))
  (block $done
    (loop $each
      (br_if $done (i32.ge_s (local.get $number) (local.get $end)))
      (local.set $entry (call $entry (i32.load offset=72 (local.get $search)) (local.get $number)))
      (local.set $at (i32.add (i32.load offset=24 (local.get $ours)) (i32.shl
        (i32.add
          (i32.mul (call $state_behind (local.get $search) (local.get $entry)) (i32.load offset=32 (local.get $ours)))
          (i32.load16_s offset=16 (local.get $entry)))
        (i32.const 2))))
      (local.set $last (i32.load offset=4 (local.get $at)))
      (local.set $at (i32.load (local.get $at)))
      (block $no_more
        (loop $roots
          (br_if $no_more (i32.ge_u (local.get $at) (local.get $last)))
          (local.set $score (i32.add (i32.load (local.get $at)) (i32.load offset=4 (local.get $entry))))
          (if (i32.gt_s (local.get $score) (local.get $enough))
            (then (if (call $may_follow (i32.add (local.get $entry) (i32.const 20)) (i32.load offset=8 (local.get $at)))
              (then (call $try (local.get $ours) (i32.load offset=4 (local.get $at)) (local.get $score) (local.get $enough)
                (local.get $number) (local.get $frame))))))
          (local.set $at (i32.add (local.get $at) (i32.const 12)))
          (br $roots)))
      (local.set $number (i32.add (local.get $number) (i32.const 1)))
      (br $each))))

;; In place of the module's own: new entries go from their lists, of which few are not empty, into the history.
(func $flush (param $history i32)
  (local $at i32) (local $end i32) (local $node i32)
  (local.set $at (i32.load (i32.load offset=8 (local.get $history))))
  (local.set $end (i32.add (local.get $at) (i32.shl
    (i32.mul (i32.load offset=32 (i32.load (local.get $history))) (i32.load offset=12 (local.get $history)))
    (i32.const 2))))
  (block $done
    (loop $lists
      (block $empty
        (loop $sixteen
          (br_if $empty (i32.gt_u (i32.add (local.get $at) (i32.const 64)) (local.get $end)))
          (br_if $empty (v128.any_true (v128.or
            (v128.or (v128.load (local.get $at)) (v128.load offset=16 (local.get $at)))
            (v128.or (v128.load offset=32 (local.get $at)) (v128.load offset=48 (local.get $at))))))
          (local.set $at (i32.add (local.get $at) (i32.const 64)))
          (br $sixteen)))
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (if (local.tee $node (i32.load (local.get $at)))
        (then
          (loop $each
            (call $store_entry (i32.load offset=4 (local.get $history)) (i32.load (local.get $node)))
            (br_if $each (local.tee $node (i32.load offset=8 (local.get $node)))))
          (call $free_list (i32.load (local.get $at)))
          (i32.store (local.get $at) (i32.const 0))))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br $lists))))
