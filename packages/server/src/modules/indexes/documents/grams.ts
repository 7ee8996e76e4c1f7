import { defined } from '../../../lib/guards.ts'
import { gramHash } from '../grams.ts'
import { isUnspaced, type Term } from './document.ts'

const groupLength = 3

/** The trigrams of a word. */
function groupsIn(characters: readonly string[]): string[] {
  const groups: string[] = []
  for (let index = 0; index + groupLength <= characters.length; index++)
    groups.push(characters.slice(index, index + groupLength).join(''))
  return groups
}

/**
 * The trigrams of a word with a space before it, so that they show its beginning; for scripts without spaces, also each
 * character and each two adjacent ones.
 */
function groupsOfWord(word: string): string[] {
  const characters = Array.from(word)
  const [first = '', second] = characters
  const starts = second === undefined ? [` ${first}`] : [` ${first}`, ` ${first}${second}`]
  return [...starts, ...groupsIn(characters), ...(plain.test(word) ? [] : looseGroups(characters))]
}

/** Most words have no other characters. */
const plain = /^[\x21-\x7e]+$/

function looseGroups(characters: readonly string[]): string[] {
  const loose = characters.map(isUnspaced)
  const pairs = characters.flatMap((character, index) =>
    loose[index] === true && loose[index + 1] === true ? [character + defined(characters[index + 1])] : [],
  )
  return [...characters.filter((_, index) => loose[index]), ...pairs]
}

/** The scope of trigrams: other workspaces and objects have other entries in the index. */
type DocumentScope = { readonly workspaceId: string; readonly object: string }

const hashOf = ({ workspaceId, object }: DocumentScope): ReturnType<typeof gramHash> =>
  gramHash(`${workspaceId}:${object}`)

/** The index entries of a document, as numbers. */
export const gramsOfDocument = (scope: DocumentScope, documentText: string): number[] =>
  [...new Set(documentText.trim().split(' ').flatMap(groupsOfWord))].map(hashOf(scope))

/** Most trigrams that are looked up: further ones exclude hardly any other record, and matches are rechecked anyway. */
const askedMax = 24

/** The index entries that every document has in which all terms are found. */
export function gramsOfTerms(scope: DocumentScope, terms: readonly Term[]): number[] {
  const longestFirst = terms.toSorted((a, b) => b.text.length - a.text.length)
  const groups = longestFirst.flatMap(({ text, atStart }) => {
    const characters = Array.from(text)
    return atStart ? [` ${text}`] : characters.length < groupLength ? [text] : groupsIn(characters)
  })
  return [...new Set(groups)].slice(0, askedMax).map(hashOf(scope))
}
