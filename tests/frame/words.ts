/** A word that texts avoid, what to write in its place, and uses that are right. */
type Avoided = { readonly word: RegExp; readonly write: string; readonly except?: RegExp }

/** Words that read like a translation. Each is avoided in every text for users. */
const avoided: readonly Avoided[] = [
  {
    word: /\bletters?\b/i,
    write: 'e-mail',
    except: /two-letter|eight letters|a letter from a to z|letters?,? (?:and |or a )?digits?/i,
  },
  { word: /\banswer(?:s|ed|ing)?\b/i, write: 'response, return, respond' },
  { word: /\bmend(?:s|ed|ing)?\b/i, write: 'fix' },
  { word: /\bfilms?\b/i, write: 'video' },
  { word: /\b(?:asker|asks? for|asked for|ask an?)\b/i, write: 'request', except: /^Ask an admin/ },
  { word: /\bbears\b/i, write: 'accepts' },
  { word: /\bcomes? back\b/i, write: 'is restored, returns, bounces' },
  { word: /\bholds?\b/i, write: 'contains, applies, is true' },
  { word: /\blook(?:s|ed|ing)? (?:at|up)\b/i, write: 'check, find' },
  { word: /\balone\b/i, write: 'only' },
  { word: /\bstands?\b/i, write: 'is in, is listed in' },
  { word: /\b(?:is|are|be|was|been) told\b/i, write: 'is notified of, receives' },
  { word: /\b(?:tells?|says?|said)\b/i, write: 'contains, shows, describes', except: /^Tell the user/ },
  { word: /\bleft out\b/i, write: 'omitted' },
  { word: /\bat once\b/i, write: 'immediately, at the same time' },
  { word: /\b(?:to its end|as a whole)\b/i, write: 'completely' },
  { word: /\bwants?\b/i, write: 'requires, expects', except: /that you want/ },
  { word: /\b(?:whoever|nobody)\b/i, write: 'anyone who, no user' },
  { word: /\bin earnest\b/i, write: 'in production' },
  { word: /\bgo(?:es)? on\b/i, write: 'continues' },
  { word: /\bunder way\b/i, write: 'in progress' },
  { word: /\bfor good\b/i, write: 'permanently' },
]

const opener = /^(?:What|Who|Whoever|Whether|How)\b/

/** Prose of Markdown: no blocks of code, no names, no targets of links. */
const proseOf = (markdown: string): string =>
  markdown
    .replaceAll(/^```[\s\S]*?^```/gm, '\n\n')
    .replaceAll(/`[^`\n]*`/g, '`x`')
    .replaceAll(/\]\([^)]*\)/g, ']')

/** The sentences of Markdown; items of lists, headings and cells of tables end one too. */
const sentencesOf = (markdown: string): string[] =>
  proseOf(markdown)
    .split(/\n\s*\n|\n\s*[-*] |\n\s*\d+\. |^#+ | \| |\n\| /m)
    .flatMap((part) => part.replaceAll(/\s+/g, ' ').split(/(?<=[.!?:;]) (?=[A-Z`*[])/))
    .map((sentence) => sentence.replace(/^(?:[#*|\s]+|\d{4} )+/, '').trim())
    .filter((sentence) => sentence !== '')

const isFalseQuestion = (sentence: string): boolean => opener.test(sentence) && !/\?["”*)]*$/.test(sentence)

/** The sentences and titles of a text that begin like a question and are none. */
export const questionsIn = (markdown: string): string[] => sentencesOf(markdown).filter(isFalseQuestion)

/** Describes what is wrong with a sentence; undefined if nothing is. */
function faultOf(sentence: string): string | undefined {
  if (isFalseQuestion(sentence)) return 'begins like a question and is none'
  const found = avoided.find(({ word, except }) => word.test(sentence) && except?.test(sentence) !== true)
  return found === undefined ? undefined : `write: ${found.write}`
}

/** The sentences of a text that break a rule of plain English, each with its fault. */
export const faultsIn = (markdown: string): string[] =>
  sentencesOf(markdown).flatMap((sentence) => {
    const fault = faultOf(sentence)
    return fault === undefined ? [] : [`${fault}: ${sentence}`]
  })

/** Returns whether a comment begins like a question and is none. */
export const beginsLikeQuestion = (comment: string): boolean => opener.test(comment) && !comment.includes('?')
