import type { ObjectSchemaDocument } from '@kontor/contract'
import {
  fieldOf,
  guessNotation,
  proposeMapping,
  writable,
  type MapOption,
  type NotationGuess,
} from '@kontor/contract/cells'
import { readBeginning } from './beginning.ts'
import { cellText } from './cell.ts'
import type { RowMapping } from '../rows-mapping.ts'
import { mapRows, type ReadRow } from './map-rows.ts'
import type { FileBeginning, FileShape } from './shape.ts'

/** A mapping that is tried on the first rows; what it leaves open is proposed. */
export type TrialMapping = Omit<RowMapping, 'notation'> & {
  readonly notation: Pick<RowMapping['notation'], 'separator'> & Partial<RowMapping['notation']>
}

/** The first rows of a file, as a mapping reads them. */
export type FilePreview = {
  readonly shape: FileShape
  /** The first texts of each column, shortened. */
  readonly samples: readonly (readonly string[])[]
  readonly maps: readonly MapOption[]
  readonly matchOn: string | undefined
  readonly guess: NotationGuess
  readonly rows: readonly ReadRow[]
}

const samplesMax = 3
const sampleCharactersMax = 100

/** Reads the first rows of a file, with the mapping that is tried or with a proposed one. */
export async function previewFile(beginning: FileBeginning, trial: TrialMapping): Promise<FilePreview> {
  const { shape, rows: first } = await readBeginning(beginning)
  const textsOf = (column: number): string[] => first.map(({ cells }) => cellText(cells[column] ?? ''))
  // A number of a spreadsheet can be read in one way only.
  const writtenTexts = (column: number): string[] =>
    first.flatMap(({ cells }) => (typeof cells[column] === 'string' ? [cells[column]] : []))
  const { maps, matchOn } = proposed(shape, trial, textsOf)
  const guess = guessNotation(typedColumns(shape, maps ?? [], trial.schema, writtenTexts))
  const notation = { dates: guess.dates, decimal: guess.decimal, ...trial.notation }
  return {
    shape,
    samples: shape.header.map((_, column) => samplesOf(textsOf(column))),
    maps: maps ?? [],
    matchOn,
    guess,
    rows: mapRows(first, shape.header, { ...trial, maps, matchOn, notation }),
  }
}

/** Notes are what a description is for. */
const noteOfCards = { source: 'Note', field: 'description' }

type Texts = (column: number) => readonly string[]

function proposed(
  { format, header }: FileShape,
  { maps, matchOn, schema }: TrialMapping,
  textsOf: Texts,
): Pick<RowMapping, 'maps' | 'matchOn'> {
  if (maps !== null) return { maps, matchOn }
  // Members that are fields need no mapping.
  if (format === 'ndjson' && header.every((name) => writable(schema).includes(name))) return { maps: null, matchOn }
  // The columns of cards mean the same in every file, whatever their texts look like.
  const proposal = proposeMapping(header, schema, format === 'vcard' ? undefined : textsOf)
  const notes = format === 'vcard' && writable(schema).includes('description') ? [noteOfCards] : []
  return {
    maps: [...proposal.maps, ...notes].map(({ source, field: target }) => {
      const [field = '', part] = target.split('.')
      return { source, field, part }
    }),
    matchOn: matchOn ?? proposal.matchOn,
  }
}

/** The columns that fill a whole field, with the types of these. */
const typedColumns = (
  { header }: FileShape,
  maps: readonly MapOption[],
  schema: ObjectSchemaDocument,
  textsOf: Texts,
) =>
  maps.flatMap(({ source, field, part }) => {
    const column = header.indexOf(source.trim())
    if (column === -1 || part !== undefined) return []
    return [{ name: source, type: fieldOf(schema, field)?.xSvcType, texts: textsOf(column) }]
  })

const samplesOf = (texts: readonly string[]): string[] =>
  texts
    .filter((text) => text.trim() !== '')
    .slice(0, samplesMax)
    .map((text) => (text.length > sampleCharactersMax ? `${text.slice(0, sampleCharactersMax)}…` : text).toWellFormed())
