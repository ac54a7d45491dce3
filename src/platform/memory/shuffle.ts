/**
 * HDF5's shuffle filter: the number of bytes per record, then the first bytes of all records, the
 * second ones, and so on. Bytes with the same meaning are then adjacent, so that a model compresses
 * 10 to 50 % better. Bytes after the last whole record stay at the end.
 */
export function shuffled(records: Uint8Array, width: number): Uint8Array {
  const planes = new Uint8Array(1 + records.length);
  planes[0] = width;
  planes.set(records, 1);
  const count = Math.floor(records.length / width);
  for (let index = 0; index < count * width; index++)
    planes[1 + (index % width) * count + Math.floor(index / width)] = records[index] ?? 0;
  return planes;
}

export function unshuffled(planes: Uint8Array): Uint8Array<ArrayBuffer> {
  const [width = 1] = planes;
  // Uint8Array.from reads a Buffer byte by byte through its iterator, 80 ns each.
  const records = new Uint8Array(planes.subarray(1));
  const count = Math.floor(records.length / width);
  for (let plane = 0, from = 1; plane < width; plane++)
    for (let to = plane; to < count * width; to += width) records[to] = planes[from++] ?? 0;
  return records;
}
