import newQrCode from 'qrcode-generator'
import { html, type Html } from '../../lib/html.ts'

/** White around the code, in modules, as the standard asks for (ISO/IEC 18004). */
const margin = 4

/** Draws a QR code as one path, without a style that the policy of the pages would refuse. */
export function qrCode(text: string, label: string): Html {
  const code = newQrCode(0, 'M')
  code.addData(text)
  code.make()
  const count = code.getModuleCount()
  const indexes = Array.from({ length: count }, (_, index) => index)
  const path = indexes
    .flatMap((row) =>
      indexes
        .filter((column) => code.isDark(row, column))
        .map((column) => `M${column + margin} ${row + margin}h1v1h-1z`),
    )
    .join('')
  const size = count + 2 * margin
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}"
  shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`
}
