// Runs in the browser: makes the picture of a page look like a poor scan.
globalThis.distort = async ({ picture, turn, skew, noise, blur, seed }) => {
  const image = new Image();
  image.src = picture;
  await image.decode();
  const sideways = turn % 180 !== 0;
  const canvas = document.createElement('canvas');
  canvas.width = sideways ? image.height : image.width;
  canvas.height = sideways ? image.width : image.height;
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.filter = `blur(${blur}px)`;
  context.translate(canvas.width / 2, canvas.height / 2);
  context.rotate(((turn + skew) * Math.PI) / 180);
  context.drawImage(image, -image.width / 2, -image.height / 2);
  const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
  addNoise(pixels, noise, seed);
  context.putImageData(pixels, 0, 0);
  return { jpeg: canvas.toDataURL('image/jpeg', 0.8), width: canvas.width, height: canvas.height };
};

/** Grey paper, darker towards one edge, with grain and a few specks. */
function addNoise({ data, width, height }, noise, seed) {
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const at = 4 * (y * width + x);
      const grain = (random() + random() - 1) * noise;
      const shade = 12 + (20 * x) / width;
      const value = random() < 0.00004 * noise ? 60 : data[at] * 0.93 - shade + 16 + grain;
      data[at] = data[at + 1] = data[at + 2] = value;
    }
}
