import type { Database } from '../db/tx.ts'
import type { SignedFiles } from '../http/files.ts'
import type { Clock } from '../kernel/clock.ts'
import type { KeyRing } from '../lib/key-ring.ts'
import { FileLinks, LocalFolder, openStorage, type FileSettings, type FileStorage } from '../modules/files/index.ts'
import { findWhatWasSaid } from '../modules/meetings/index.ts'

type Parts = {
  readonly database: Database
  readonly files: FileSettings
  readonly clock: Clock
  readonly baseUrl: string
  readonly keys: KeyRing
}

/** Where the bytes of files are, and what the signed URLs of this server lead to. */
export function openFiles({ database, files, ...parts }: Parts): {
  readonly storage: FileStorage
  readonly links: FileLinks
  readonly signed: SignedFiles
} {
  const links = new FileLinks(parts)
  const storage = openStorage(files, links)
  return {
    storage,
    links,
    signed: {
      open: (token) => links.open(token),
      transcript: ({ workspaceId, id }) => findWhatWasSaid(database.reader, workspaceId, id),
      local: storage instanceof LocalFolder ? localFiles(storage) : undefined,
    },
  }
}

const localFiles = (local: LocalFolder): NonNullable<SignedFiles['local']> => ({
  receive: (...given) => local.receive(...given),
  folder: local.folder,
  pathOf: (file) => local.pathOf(file),
})
