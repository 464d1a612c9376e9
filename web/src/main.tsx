import './style.css';

document.body.textContent = 'model-inspector';
