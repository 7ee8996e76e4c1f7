import { html, type Html } from '../../../lib/html.ts'
import { storableText } from '../../../lib/texts.ts'
import { blocksHtml, blocksText } from './blocks.ts'

/** The contents of a letter, with its variables filled in. */
type LetterContent = {
  readonly subject: string
  /** Rich text; it takes the place of `text` and `html`. */
  readonly message?: readonly unknown[] | undefined
  readonly text?: string | undefined
  readonly html?: string | undefined
}

/** A letter as it is sent, before links are put into it for this one recipient. */
export type RenderedLetter = { readonly subject: string; readonly text: string; readonly html: string | null }

const page = (body: ReturnType<typeof blocksHtml>): string =>
  html`<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
</head>
<body style="font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Helvetica,Arial,sans-serif;line-height:1.5">
${body}
</body>
</html>
`.text

const asParagraphs = (text: string): readonly Html[] =>
  text
    .split(/\n{2,}/)
    .map((paragraph) => html`<p>${paragraph.split('\n').map((line, at) => (at === 0 ? line : html`<br>${line}`))}</p>`)

/** A letter that has text alone, as HTML: what is to be tracked needs it. */
export const htmlOfText = (text: string): string => page(asParagraphs(text))

/** Writes a letter as text and, where it has more than that, as HTML. A subject is one line. */
export function renderLetter({ subject, message, text = '', html: markup }: LetterContent): RenderedLetter {
  const oneLine = storableText(subject).replaceAll(/\s+/g, ' ')
  if (message !== undefined)
    return {
      subject: oneLine,
      text: storableText(blocksText(message)),
      html: storableText(page(blocksHtml(message))),
    }
  return { subject: oneLine, text: storableText(text), html: markup === undefined ? null : storableText(markup) }
}
