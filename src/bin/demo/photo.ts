import sharp from 'sharp';

const PARCEL = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480">
  <rect width="640" height="480" fill="#e2e8f0"/><rect x="140" y="120" width="360" height="260" fill="#b7824b"/>
  <rect x="290" y="120" width="60" height="260" fill="#d9b382"/><path d="M140 300l90-40 30 60 70-50" stroke="#533" stroke-width="6" fill="none"/>
</svg>`;

/** Draws the photo of a damaged parcel that a contact sends. */
export function drawPhoto(): Promise<Buffer> {
  return sharp(Buffer.from(PARCEL)).jpeg().toBuffer();
}
