import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'

const languages = { bash, json, python, sql, typescript }
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Matches elements without a colour of their own, which are unwrapped: they would be a twelfth of the site. */
const plain = /<span class="hljs-(?:punctuation|property|title function_)">([^<]*)<\/span>/g

/** Code as markup: coloured where the language is known. */
export function highlight(code: string, language: string): string {
  if (hljs.getLanguage(language) === undefined) return code.replaceAll(/[&<>]/g, (one) => entities[one] ?? one)
  return hljs.highlight(code, { language }).value.replaceAll(plain, '$1')
}
