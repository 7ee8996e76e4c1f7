import { FileFault } from '../file-fault.ts'
import type { Archive } from './archive.ts'
import { readXml } from './xml.ts'

/** A sheet of a workbook. */
type Sheet = { readonly name: string; readonly path: string; readonly isHidden: boolean }

/** The parts of a workbook that its sheets need. */
export type Workbook = {
  readonly sheets: readonly Sheet[]
  /** True if days are counted from 1904, as on old Macs. */
  readonly isFrom1904: boolean
  readonly sharedStrings: string
  readonly styles: string
}

const sheetsMax = 1000

/** Reads the names and places of the sheets. */
export async function readWorkbook(archive: Archive): Promise<Workbook> {
  const main = (await relationsOf(archive, '_rels/.rels', '')).find(({ type }) => type === 'officeDocument')
  const path = main?.target ?? 'xl/workbook.xml'
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const relations = await relationsOf(archive, `${folder}_rels/${path.slice(folder.length)}.rels`, folder)
  const sheets: Sheet[] = []
  let isFrom1904 = false
  await readXml(archive.read(path), {
    open(name, attributes) {
      if (name === 'workbookPr') isFrom1904 = ['1', 'true'].includes(attributes['date1904'] ?? '')
      if (name !== 'sheet') return
      if (sheets.length === sheetsMax) throw new FileFault(`The workbook has more than ${sheetsMax} sheets.`)
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1]
      const relation = relations.find((one) => one.id === id && one.type === 'worksheet')
      if (relation === undefined) return
      const isHidden = (attributes['state'] ?? 'visible') !== 'visible'
      sheets.push({ name: attributes['name'] ?? '', path: relation.target, isHidden })
    },
  })
  if (sheets.length === 0) throw new FileFault('The file is not a workbook (.xlsx), or has no sheet with cells.')
  const placeOf = (wanted: string, otherwise: string): string =>
    relations.find(({ type }) => type === wanted)?.target ?? `${folder}${otherwise}`
  return {
    sheets,
    isFrom1904,
    sharedStrings: placeOf('sharedStrings', 'sharedStrings.xml'),
    styles: placeOf('styles', 'styles.xml'),
  }
}

/** Finds a sheet by its name, or the first that is shown. */
export function findSheet({ sheets }: Workbook, wanted: string | undefined): Sheet {
  const found =
    wanted === undefined
      ? (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0])
      : sheets.find(({ name }) => name.trim().toLowerCase() === wanted.trim().toLowerCase())
  if (found !== undefined) return found
  const names = sheets.slice(0, 20).map(({ name }) => `"${name}"`)
  throw new FileFault(`The workbook has no sheet "${wanted}". Its sheets: ${names.join(', ')}.`)
}

type Relation = { readonly id: string; readonly type: string; readonly target: string }

async function relationsOf(archive: Archive, path: string, folder: string): Promise<Relation[]> {
  const relations: Relation[] = []
  await readXml(archive.read(path), {
    open(name, { Id: id = '', Type: type = '', Target: target = '' }) {
      if (name !== 'Relationship' || relations.length > sheetsMax + 100) return
      const from = target.startsWith('/') ? target.slice(1) : folder + target
      relations.push({ id, type: type.slice(type.lastIndexOf('/') + 1), target: from })
    },
  })
  return relations
}
