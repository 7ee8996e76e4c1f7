import type { SignedFiles } from '../http/files.ts'
import type { KeyRing } from '../lib/key-ring.ts'
import { FileLinks, LocalFolder, openStorage } from '../modules/files/index.ts'
import { findWhatWasSaid } from '../modules/meetings/index.ts'
import type { AppOptions } from './options.ts'

type Parts = Pick<AppOptions, 'database' | 'files' | 'clock' | 'baseUrl'> & { readonly keys: KeyRing }

/** Where the bytes of files are, and what the signed URLs of this server lead to. */
export function openFiles({ database, files, ...parts }: Parts) {
  const links = new FileLinks(parts)
  const storage = openStorage(files, links)
  const signed: SignedFiles = {
    open: (token) => links.open(token),
    transcript: ({ workspaceId, id }) => findWhatWasSaid(database.reader, workspaceId, id),
    local: storage instanceof LocalFolder ? localFiles(storage) : undefined,
  }
  return { storage, links, signed }
}

const localFiles = (local: LocalFolder): NonNullable<SignedFiles['local']> => ({
  receive: (...given) => local.receive(...given),
  folder: local.folder,
  pathOf: (file) => local.pathOf(file),
})
