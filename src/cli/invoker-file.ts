/**
 * Files that the invoking user names may be accessible to that user only, such as files in root's
 * directories. They are read and written with the invoker's rights, and the data with its owner's
 * rights. A private copy in the backups directory connects the two.
 */
import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { join, sep } from "node:path";
import { AppError, conflict, notFound } from "../core/errors.ts";
import { hex } from "../core/ids.ts";
import { systemRandom } from "../core/random.ts";
import { backupsDirOf } from "../ops/backup/backups.ts";
import { VERIFY_PREFIX } from "../ops/backup/verify.ts";
import { asOwnerOf } from "../ops/drop-privileges.ts";

const PRIVATE_FILE = 0o600;
const PRIVATE_DIRECTORY = 0o700;

const isInside = (file: string, directory: string) => file.startsWith(`${directory}${sep}`);

/** `make` writes a file, which is then copied to `target`. Throws conflict if `target` exists. */
export async function writeAsInvoker<Result>(
  dataDir: string,
  target: string,
  make: (file: string) => Promise<Result>,
): Promise<Result> {
  if (existsSync(target)) throw conflict(`${target} exists already.`);
  if (isInside(target, dataDir)) return await asOwnerOf(dataDir, () => make(target));
  const scratch = scratchIn(dataDir);
  try {
    const made = await asOwnerOf(dataDir, async () => {
      mkdirSync(backupsDirOf(dataDir), { recursive: true, mode: PRIVATE_DIRECTORY });
      return await make(scratch);
    });
    copyFileSync(scratch, target, constants.COPYFILE_EXCL);
    chmodSync(target, PRIVATE_FILE);
    return made;
  } finally {
    rmSync(scratch, { force: true });
  }
}

/**
 * Throws not_found, or conflict if it is not a regular file: a directory cannot be copied, and
 * reading a pipe would block.
 */
export function requireRegularFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw notFound(`file: ${file}`);
  if (found.isFile()) return;
  const what = found.isDirectory() ? "a directory" : "not a regular file";
  const publicMessage = `${file} is ${what}. Give the file of a backup: linevoice backup list`;
  throw conflict(publicMessage);
}

/** Calls `use` with a copy of the file that the data's owner may read. */
export async function readAsInvoker<Result>(
  dataDir: string,
  file: string,
  use: (file: string) => Promise<Result>,
): Promise<Result> {
  const owner = statSync(dataDir, { throwIfNoEntry: false });
  const isRootForInvoker = process.getuid?.() === 0 && owner !== undefined && owner.uid !== 0;
  if (!owner || !isRootForInvoker || isInside(file, dataDir))
    return await asOwnerOf(dataDir, () => use(file));
  const directory = backupsDirOf(dataDir);
  await asOwnerOf(dataDir, async () =>
    mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY }),
  );
  const scratch = scratchIn(dataDir);
  try {
    copyFileSync(file, scratch, constants.COPYFILE_EXCL);
    chmodSync(scratch, PRIVATE_FILE);
    chownSync(scratch, owner.uid, owner.gid);
    return await asOwnerOf(dataDir, () => use(scratch));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const publicMessage = error.publicMessage.replaceAll(scratch, file);
    throw new AppError({ code: error.code, publicMessage });
  } finally {
    rmSync(scratch, { force: true });
  }
}

/** With this name, the regular cleanup removes a copy that a crash left behind. */
const scratchIn = (dataDir: string): string =>
  join(backupsDirOf(dataDir), `${VERIFY_PREFIX}${hex(systemRandom.bytes(8))}`);
