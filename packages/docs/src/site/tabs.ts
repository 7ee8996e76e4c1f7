import { highlight } from './highlight.ts'

/** The name of the tab of a language; the first block of a group is for curl. */
const titles: Readonly<Record<string, string>> = {
  sh: 'curl',
  'ts tab': 'TypeScript',
  'python tab': 'Python',
  'cli tab': 'Command line',
}

const syntaxes: Readonly<Record<string, string>> = { sh: 'bash', 'ts tab': 'typescript', 'cli tab': 'bash' }

/** A block for curl, and the same for other languages right below it; with `no-run`, another test runs them. */
const group = /^```sh.*\n(?:(?!```)[\s\S])*?^```\n(?:\n```(?:ts|python|cli) tab.*\n(?:(?!```)[\s\S])*?^```\n?)+/gm

const block = /^```(.*?)(?: no-run)?\n([\s\S]*?)\n```$/gm

function figure(language: string, code: string): string {
  const syntax = syntaxes[language] ?? 'python'
  return `<figure class="code"><figcaption>${titles[language] ?? language}</figcaption>
<pre><code class="hljs language-${syntax}">${highlight(code, syntax)}</code></pre></figure>`
}

/** Puts the blocks of a guide that are the same in several languages beside each other, as tabs. */
export const withTabs = (markdown: string): string =>
  markdown.replaceAll(group, (blocks) => {
    const figures = [...blocks.matchAll(block)].map(([, language = '', code = '']) => figure(language, code))
    // A blank line would end the block of markup.
    return `<div class="tabs">\n${figures.join('\n').replaceAll(/\n(?=\n)/g, '\n<span></span>')}\n</div>\n`
  })
